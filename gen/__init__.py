"""gen -- from a data file to a model for the device: reads, trains, measures and writes; all arithmetic is C.

Run as `python3 -m gen`. Each module does one thing:

    cli        arguments and exit codes           commands   what each command does, and its words and JSON
    options    methods, their options and grids   train      one training, or many side by side
    data       CSV, LIBSVM and ARFF files         classes    labels of any text as numbered classes
    reader(.c) numbers and labels out of text     native(.c) the library: trainers in double, the device in float
    build      compiles C on first use            model      model files (.mgn)
    exchange   models of others as numbers        from_*     LIBSVM, scikit-learn, pickles
    metrics    error rates                        progress   threads, a bar, Ctrl-C
    output     files and JSON                     cspell     numbers and tables as C text
    export     a model as a C header              emit       the tables and structs of each kind and format
    quant      integer models                     wheel      packs gen for pip
    errors     failures in one line
"""
