"""llama.cpp's own server out of the xllamacpp wheel, as one process that ends on SIGTERM.

It prints `ready <url>` once the model is loaded. The port answers 503 before that.
"""

import argparse
import os
import signal
import sys

import xllamacpp


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="path of the .gguf file")
    parser.add_argument("--port", type=int, required=True, help="loopback port to listen on")
    parser.add_argument("--alias", required=True, help="the model's id in /v1/models")
    parser.add_argument("--ctx", type=int, default=2048, help="tokens of context, over all slots")
    parser.add_argument("--slots", type=int, default=1, help="chats at once")
    parser.add_argument("--threads", type=int, default=1, help="threads that compute")
    return parser.parse_args()


def server_parameters(arguments):
    parameters = xllamacpp.CommonParams()
    parameters.model.path = arguments.model
    parameters.model_alias = {arguments.alias}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = arguments.port
    parameters.n_ctx = arguments.ctx
    parameters.n_parallel = arguments.slots
    parameters.cpuparams.n_threads = arguments.threads
    parameters.cpuparams_batch.n_threads = arguments.threads
    parameters.n_gpu_layers = 0
    # The defaults of the server's own command line fit the context to the memory that is free.
    parameters.fit_params = False
    return parameters


def main():
    # The default action of SIGTERM ends the process even while C++ holds the interpreter.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    server = xllamacpp.Server(server_parameters(parse_arguments()))
    print(f"ready {server.listening_address}", flush=True)
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
