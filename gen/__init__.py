"""gen -- from a data file to a model for the device: reads, trains, measures and writes; all arithmetic is C.

Run as `python3 -m gen`. Each module does one thing:

    cli        arguments and exit codes           commands   what each command does, and its words and JSON
    methods    what each method takes and tells   options    values, ranges, options that methods share
    kinds      the kinds of models                train      one training, or many side by side
    data       CSV, LIBSVM and ARFF files         classes    labels of any text as numbered classes
    reader(.c) numbers and labels out of text     native(.c) the library: trainers in double, the device in float
    build      compiles C on first use            model      model files (.mgn)
    exchange   models of others as numbers        from_*     LIBSVM, scikit-learn, pickles
    metrics    error rates                        progress   threads, a bar, Ctrl-C
    output     files and JSON                     cspell     numbers and tables as C text
    export     a model as a C header              emit       the tables and structs of each kind and format
    quant      integer models                     wheel      packs gen for pip
    compress   models within a budget of flash    errors     failures in one line
    fit        the search for a model, in words   search     what is tried when, and which candidate is picked
    tries      what is tried of each method       trial      one training on one fold, in all number formats
    workers    threads or a cluster of Dask's     state      what a search has measured, for --resume
    cost       bytes, RAM, stack and cycles       cost_table what the formula of cost knows about each target
    advice     what is odd about the data         groups     rows that belong together
    manual     help texts and examples            completion scripts for bash and zsh
    suggest    names close to a misspelt one      sklearn    the methods as estimators; needs scikit-learn
    report     a page about a model (.css, .js)   measure    the numbers of the page
    figures    from these numbers to figures      svg        the marks of figures
    page       pieces of HTML                     report_values  the sections about numbers and ranks
    wasm       exported headers as WebAssembly

HOW TO ADD A METHOD

1. native_methods.c: a function `gen_train_TAG(gen_work *work)` that fills the options struct of the library from
   gen_option(work->choice, "name"), takes its memory by gen_arena(work, size, &mem) and calls margin_TAG_train with
   &work->machine->model and &work->info; then a line in `gen_methods`. Data is scaled already and the scaling is folded
   into the model afterwards, by margin_model_scale: it must know the kind. gen_tell, gen_tell_truth and gen_tell_array
   put further keys into the JSON, of a training that fails as well; `measure`, if the method has one, tells more about
   the training rows (its names get the ending _train) and the rows of a test (_test), also in every fold of cv.
2. methods.py: an entry of METHODS: help, options, the grid of `tune`, refusals (statuses that are an answer: a word for
   "status" in the JSON, no file, exit code 1), what `tune` aims at, lines for people, what notes keep. `without` names
   the common options that mean nothing to it; `targets="numbers"` hands over labels as numbers (work->targets).
3. tries.py: an entry of TRIES, so that `fit` tries it: the data it suits, its options, how long a training takes.
4. README: the table of methods. tests/gen/test_cli.py trains every entry of METHODS and looks for the keys.

`objective` and `margin_min` .. of the JSON are those of margin_info. Options that need no word of C (a seed) are there
under their names as well: gen_option(choice, "seed").

HOW TO ADD A KIND OF MODELS

1. margin.h and margin_impl.h: the struct, a member of margin_model, the list of its fields in >>kinds, and its cases in
   margin_scores, margin_model_vote and the checks. All kinds have a margin_vote, a number of features and
   margin_machines() scores. Images, native.c and emit.py read the list: Python knows the fields by their names in C.
2. kinds.py: an entry of KINDS: words for people. A scheme of its own: SCHEME_NAMES in emit.py.
"""
