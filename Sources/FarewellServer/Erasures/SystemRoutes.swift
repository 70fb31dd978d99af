// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import HTTPTypes
import Hummingbird

/// Routes at which systems of the plan report the result of an erasure later. A caller that signs as the system is
/// accepted.
struct SystemRoutes: Sendable {
    let requests: ErasureRequests

    var all: [Route] { [message] }

    private var message: Route {
        Route(
            .post, "/v1/systems/{name}/messages",
            RouteOperation(
                id: "receiveSystemMessage", summary: "Receive a system's report about its part of an erasure",
                tag: "events",
                parameters: [
                    .init(
                        name: "name", place: .path, schema: .sized(1...255), meaning: "The system's name in the plan."),
                    .init(
                        name: "webhook-id", place: .header, schema: .sized(1...256),
                        meaning: "The identifier, with webhook-timestamp and webhook-signature (Standard Webhooks)."),
                ],
                body: .init(schema: .named("SystemMessage")),
                answers: [200: .init(meaning: "The message was processed, now or earlier.", schema: .anyObject)],
                refusals: [
                    400: ["erasure.message-malformed"], 401: ["erasure.message-unsigned"], 404: ["erasure.not-found"],
                ]),
            limit: .address
        ) { call in
            let headers = Dictionary(call.headers.map { ($0.name.canonicalName, $0.value) }) { first, _ in first }
            let message = SystemMessage(headers: headers, body: Array(call.body.here.readableBytesView))
            try await requests.hear(message, from: call.parameters["name"] ?? "")
            return .json([String: String]())
        }
    }
}
