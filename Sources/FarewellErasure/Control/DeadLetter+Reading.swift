// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

extension DeadLetter {
    /// - Parameter result: `(event, endpoint, attempts, error, erasure, kind)`.
    @Sendable static func all(_ result: SQLResult) -> [DeadLetter] {
        result.rows.compactMap { row in
            guard let endpoint = row[1].text, let erasure = row[4].identifier,
                let kind = row[5].text.flatMap(ErasureEventKind.init(rawValue:))
            else { return nil }
            return DeadLetter(
                endpoint: endpoint, erasure: erasure, kind: kind, attempts: Int(row[2].integer ?? 0),
                reason: row[3].text ?? "")
        }
    }
}

extension EndpointDeliveries {
    /// - Parameter result: `(endpoint, state, count)`, by endpoint.
    @Sendable static func all(_ result: SQLResult) -> [EndpointDeliveries] {
        var endpoints: [EndpointDeliveries] = []
        for row in result.rows {
            guard let name = row[0].text else { continue }
            if endpoints.last?.name != name { endpoints.append(.init(name: name)) }
            let count = Int(row[2].integer ?? 0)
            switch row[1].text {
            case "waiting": endpoints[endpoints.count - 1].waiting = count
            case "delivered": endpoints[endpoints.count - 1].delivered = count
            default: endpoints[endpoints.count - 1].dead = count
            }
        }
        return endpoints
    }
}
