// SPDX-License-Identifier: Apache-2.0
// Forwards an app's request to delete its user's account to your Farewell server. It has no dependencies.
//
// FAREWELL_URL         the server's address, such as https://farewell.example.org (required)
// FAREWELL_TIMEOUT_MS  the time-out in milliseconds (default: 20000)

/** What is read of the environment: `Deno.env`. */
export interface Environment {
  get(name: string): string | undefined;
}

const corsHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "POST, OPTIONS",
  "Access-Control-Allow-Headers":
    "authorization, apikey, content-type, x-client-info, x-supabase-api-version, idempotency-key, x-farewell-step-up",
  "Access-Control-Expose-Headers": "retry-after, x-request-id, x-sb-error-code",
  "Access-Control-Max-Age": "600",
};

/** Who asks, and under which key; the body and the query count for nothing. */
const sent = ["authorization", "idempotency-key", "x-farewell-step-up", "x-request-id", "traceparent"];
const returned = ["content-type", "retry-after", "www-authenticate", "x-request-id", "x-sb-error-code"];

const words = {
  signIn: "Please sign in first. Then you can delete your account.",
  method: "Deleting an account is a POST.",
  setUp: "We are sorry: deleting accounts is not set up yet. Please write to us, and we will delete yours.",
  late: "This is taking longer than usual. Please try again in a moment: asking twice does no harm.",
  unreachable:
    "We could not reach the service that deletes accounts. Please try again in a moment: asking twice does no harm.",
  garbled: "We are sorry: something went wrong on our side. Please try again in a moment: asking twice does no harm.",
};

/** Answers what the server answers, or says why it could not be asked. */
export async function forward(request: Request, route: string, environment: Environment): Promise<Response> {
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: corsHeaders });
  if (request.method !== "POST") return refusal(405, "method_not_allowed", words.method, { Allow: "POST, OPTIONS" });
  if (!request.headers.get("authorization")) {
    return refusal(401, "no_authorization", words.signIn, { "WWW-Authenticate": "Bearer" });
  }
  const address = serverAddress(environment);
  if (!address) {
    console.error(
      "FAREWELL_URL is missing, or is no address of HTTP. Set it: supabase secrets set FAREWELL_URL=https://…",
    );
    return refusal(500, "not_set_up", words.setUp);
  }
  const headers = new Headers();
  for (const name of sent) {
    const value = request.headers.get(name);
    if (value) headers.set(name, value);
  }
  const milliseconds = Number(environment.get("FAREWELL_TIMEOUT_MS")) || 20_000;
  const call = { method: "POST", headers, redirect: "manual" as const, signal: AbortSignal.timeout(milliseconds) };
  try {
    return await answer(await asked(`${address}/functions/v1/${route}`, call));
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    console.error(
      `The Farewell server ${isLate ? `gave no answer within ${milliseconds} ms` : "could not be reached"}.`,
    );
    return isLate
      ? refusal(504, "request_timeout", words.late)
      : refusal(503, "unreachable", words.unreachable, { "Retry-After": "5" });
  }
}

function serverAddress(environment: Environment): string | undefined {
  const given = environment.get("FAREWELL_URL")?.trim().replace(/\/+$/, "") ?? "";
  return /^https?:\/\/[^\s/]/.test(given) ? given : undefined;
}

/** A connection that breaks is tried once more: the server knows a request that it has seen. */
async function asked(address: string, call: RequestInit): Promise<Response> {
  try {
    return await fetch(address, call);
  } catch (error) {
    if (call.signal?.aborted) throw error;
    return await fetch(address, call);
  }
}

/** What the server says in JSON is for the app. A proxy's page is not. */
async function answer(response: Response): Promise<Response> {
  const text = await response.text();
  if (!isObject(text)) {
    console.error(`What answers at FAREWELL_URL is no Farewell server: status ${response.status}.`);
    return refusal(502, "bad_gateway", words.garbled, { "Retry-After": "5" });
  }
  const headers = new Headers(corsHeaders);
  for (const name of returned) {
    const value = response.headers.get(name);
    if (value) headers.set(name, value);
  }
  headers.set("Cache-Control", "no-store");
  return new Response(text, { status: response.status, headers });
}

function isObject(text: string): boolean {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && ("data" in value || "error" in value);
  } catch {
    return false;
  }
}

/** In the envelope of the server's own refusals. */
function refusal(status: number, code: string, message: string, more: Record<string, string> = {}): Response {
  const headers = { ...corsHeaders, "Cache-Control": "no-store", "x-sb-error-code": code, ...more };
  return Response.json({ error: { code, message } }, { status, headers });
}
