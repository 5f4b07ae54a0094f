"""``python serve.py FILE.gguf``: an OpenAI-compatible server on 127.0.0.1, on one thread; says its address, then serves
until its standard input ends.
"""

import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path, params.model_alias = sys.argv[1], {"local"}
params.n_ctx, params.n_parallel, params.verbosity, params.offline, params.ui = 4096, 1, 0, True, False
params.n_batch = params.n_ubatch = 128
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
