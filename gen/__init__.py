"""gen -- from a data file to a model.h: reads, trains, measures and writes; all arithmetic is C.

Run as `python3 -m gen`. Each module does one thing:

    errors   the failures that a user can cause, in one line each
    reader.c numbers and labels out of CSV, LIBSVM and ARFF text;  data  files, formats, classes
    build    compiles C on first use and keeps it in a cache
    cspell   numbers and tables as C text
"""
