// SPDX-License-Identifier: Apache-2.0

import FarewellTesting
import Testing

extension ConnectorBed {
    /// Every row of the matrix is there to be gone through: a wrong place, a blind credential, a strange name with
    /// neighbours that differ from it by as little as can be.
    func requireEveryRow() async throws {
        for how in ConnectorMisleading.allCases {
            try #require(try await misled(how) != nil, "\(name) has no row \(how.rawValue)")
        }
        let names = try #require(try await settleStrangely(), "\(name) has no row strange name")
        let census = try await census()
        let own = entries(of: names, in: census)
        try #require(!own.isEmpty && census.count > own.count + 1, "\(name) has no strange neighbours")
    }
}
