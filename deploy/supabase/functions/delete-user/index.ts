// SPDX-License-Identifier: Apache-2.0
// POST /functions/v1/delete-user: deletes the account of the token's user through your Farewell server.
import { forward } from "../_shared/forward.ts";

Deno.serve((request) => forward(request, "delete-user", Deno.env));
