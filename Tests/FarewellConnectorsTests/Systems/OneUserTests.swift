// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("A user with several names in one system", .contracts)
struct OneUserTests {
    @Test("SY-2 Cognito: a user who is found by two names is counted once", arguments: ["username", "sub"])
    func twoNames(_ by: String) async throws {
        let attributes = #"[{"Name":"sub","Value":"u1"},{"Name":"email","Value":"ada@example.org"}]"#
        let service = AnsweringService { call in
            switch call.header("x-amz-target") ?? "" {
            case let target where target.hasSuffix("AdminGetUser"):
                .json(200, #"{"Username":"u1","UserAttributes":\#(attributes)}"#)
            default: .json(200, #"{"Users":[{"Username":"u1","Attributes":\#(attributes)}]}"#)
            }
        }
        let connector = try service.connector("cognito", ["region": "eu-west-1", "pool": "p", "by": by])
        let names = by == "sub" ? ["u1", "u1"] : ["u1", "ada@example.org"]
        #expect(try await connector.count(.init(key: "k", names: names)) == 1)
    }
}
