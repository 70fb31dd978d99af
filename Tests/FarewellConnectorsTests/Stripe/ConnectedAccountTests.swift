// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Stripe Connect: customers in a connected account", .contracts)
struct ConnectedAccountTests {
    private static let missing = SystemReply.json(
        404, #"{"error":{"type":"invalid_request_error","code":"resource_missing","message":"No such customer"}}"#)

    /// A platform without customers of the app's, and an account connected to it that has `cus_1`.
    private static func service() -> AnsweringService {
        let isThere = Guarded(true)
        return AnsweringService { call in
            guard let account = call.header("Stripe-Account") else {
                return call.path == "/v1/customers" ? .json(200, #"{"object":"list","data":[{"id":"cus_9"}]}"#) : missing
            }
            guard account == "acct_1Abc" else {
                return .json(
                    403, #"{"error":{"type":"invalid_request_error","code":"account_invalid","message":"no access to acct_2"}}"#)
            }
            switch (call.method, call.path) {
            case (_, "/v1/customers"): return .json(200, #"{"object":"list","data":[{"id":"cus_7"}]}"#)
            case (_, "/v1/subscriptions"): return .json(200, #"{"object":"list","data":[],"has_more":false}"#)
            case ("DELETE", "/v1/customers/cus_1"):
                isThere.withLock { $0 = false }
                return .json(200, #"{"id":"cus_1","object":"customer","deleted":true}"#)
            case (_, "/v1/customers/cus_1"):
                let end = isThere.withLock { $0 } ? "" : #","deleted":true"#
                return .json(200, #"{"id":"cus_1","object":"customer"\#(end)}"#)
            default: return missing
            }
        }
    }

    @Test("SY-1 a customer in a connected account is erased there, and every call names the account")
    func erased() async throws {
        let service = Self.service()
        let connector = try service.connector("stripe", ["connected": "acct_1Abc"])
        let request = ConnectorRequest(key: "k", names: ["cus_1"])
        #expect(try await connector.count(request) == 1)
        #expect(try await connector.erase(request) == .erased(1))
        #expect(try await connector.verify(request) == .gone)
        // The account that a call names is the evidence for one that it does not know.
        let unknown = try service.connector("stripe", ["connected": "acct_1Abc"])
        #expect(try await unknown.verify(ConnectorRequest(key: "k", names: ["cus_2"])) == .gone)
        _ = try await unknown.prove()
        #expect(!service.sent.isEmpty && service.sent.allSatisfy { $0.header("Stripe-Account") == "acct_1Abc" })
    }

    @Test("SY-1 the platform itself does not know such a customer, and that counts for nothing")
    func platform() async throws {
        let service = Self.service()
        let request = ConnectorRequest(key: "k", names: ["cus_1"])
        let refused = await fault { _ = try await service.connector("stripe", [:]).verify(request) }
        #expect(refused?.code == "connector.refused" && refused?.remedy?.contains("`connected`") == true)
        #expect(service.sent.allSatisfy { $0.header("Stripe-Account") == nil })
        let other = await fault { _ = try await service.connector("stripe", ["connected": "acct_2"]).verify(request) }
        #expect(other?.code == "connector.misconfigured" && other?.message.contains("`connected`") == true)
        for settings in [["connected": "acct_1Abc", "account": "acct_3"], ["connected": "cus_1"], ["connected": "acct_1\r\nx: y"]] {
            #expect(throws: FarewellError.self) { try service.connector("stripe", settings) }
        }
    }
}
