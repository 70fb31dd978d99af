// SPDX-License-Identifier: Apache-2.0
@testable import FarewellErasure
import FarewellSQL
import Testing

@Suite("The doctor's words about a pooler")
struct PoolerFactTests {
    @Test("OP-6 doctor says how many server connections a pool in session mode needs: as many as a process may open")
    func sizes() {
        let remedy = PoolerFact(hasOwnSession: false).fact.remedy ?? ""
        #expect(remedy.contains("needs \(PostgreSQLConfiguration.serviceConnections) server connections"), "\(remedy)")
        #expect(PoolerFact(hasOwnSession: true).fact.remedy == nil)
    }
}
