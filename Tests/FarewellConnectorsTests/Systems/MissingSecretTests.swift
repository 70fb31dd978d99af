// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Secrets that are not set")
struct MissingSecretTests {
    @Test("SY-4 a missing secret is reported with its name and place, and the system is not said to refuse anything")
    func missing() async throws {
        for (place, word) in [
            (SecretPlace.environment("RC_KEY"), "environment variable “RC_KEY” is not set"),
            (.environment("BLANK"), "environment variable “BLANK” is not set"),
            (.file("/run/rc.key"), "file “/run/rc.key” is empty, or cannot be read"), (nil, "does not say where it is"),
        ] as [(SecretPlace?, String)] {
            let service = AnsweringService { _ in SystemReply(status: 500) }
            var system = SystemPlan(name: "rc", kind: "revenuecat", settings: ["project": "p"])
            system.secrets["key"] = place
            let connector = try RevenueCatConnector(system, world: .hurried(service, environment: ["BLANK": " \n"]))
            let error = await fault { _ = try await connector.count(.init(key: "k", names: ["u1"])) }
            #expect(error?.code == "connector.credentials" && error?.family == .yoursToFix)
            #expect(
                error?.message.contains("no secret key for the system rc") == true && error?.message.contains(word) == true
                    && error?.message.contains("refuses") == false && error?.remedy != nil, "\(String(describing: error))")
            #expect(service.sent.isEmpty)
        }
    }
}
