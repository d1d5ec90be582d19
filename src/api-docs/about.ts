/** What holds for every operation. */
export const ABOUT = `Sends each LLM chat to the route through a mesh of machines that is really fastest, because it measures.

**Errors** have OpenAI's shape, \`{"error":{"message","type","param","code"}}\`, whatever went wrong; \`code\` is the part for
programs. Beyond what each operation names: 404 \`not_found\` for a path that doesn't exist, 405 \`method_not_allowed\` for
another method on the paths of chats, 400, 408, 413 or 431 \`invalid_request\` where no HTTP request could be read, 500
\`internal_error\` where the tracker itself failed.

**Numbers** are finite or null; a name tells its unit. **Lists** are \`{"object":"list","data":[…]}\`. Whatever answers GET
answers HEAD too.

**Access**: clients, nodes and operators have keys of their own, sent as \`Authorization: Bearer <key>\`; each operation names whose it
needs. Without one: 401 \`missing_api_key\`; with one that is not known: 401 \`invalid_api_key\`; with one of another role: 403
\`wrong_key_role\`; where no node may register: 403 \`registration_closed\`. On a loopback address a role without keys is open;
changes from another site's page get 403 \`cross_site\` there, and foreign names of the tracker 403 \`host_not_allowed\`.

**Limits**: of more than 60 wrong keys or refused registrations a minute from one address, the others get 429 \`rate_limit_exceeded\`
in place of the reason; right ones always go on. Chats may be limited for each key, and then tell of it in \`x-ratelimit-*\`.
`;
