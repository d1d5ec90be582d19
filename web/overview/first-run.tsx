import { trackerUrl } from '../api/client.js';

/** Nobody has joined yet: how the first one does. */
export function FirstRun() {
  const registration = JSON.stringify({
    wallet: 'me',
    endpoint: 'http://localhost:8000',
    model: 'llama3:8b',
  });
  return (
    <section class="card first-run" data-testid="first-run" aria-labelledby="first-run-title">
      <header>
        <h2 id="first-run-title">The tracker runs. No node has joined yet.</h2>
      </header>
      <div class="card-body">
        <p>Any server that speaks OpenAI’s API can be one: vLLM, llama.cpp, SGLang, Ollama, LM Studio …</p>
        <dl>
          <dt>Start the tracker with its address; its models are asked for</dt>
          <dd>
            <code class="command">npm start -- --node http://localhost:8000</code>
          </dd>
          <dt>List several in a file, with keys, shards or other names for their models</dt>
          <dd>
            <code class="command">MESHNET_NODES_FILE=nodes.json npm start</code>
          </dd>
          <dt>Or let the server register itself, and again before its lease runs out</dt>
          <dd>
            <code class="command">
              {`curl -X POST ${trackerUrl('/v1/nodes')} -H 'content-type: application/json' -d '${registration}'`}
            </code>
          </dd>
        </dl>
        <p class="soft">This page notices within four seconds.</p>
      </div>
    </section>
  );
}
