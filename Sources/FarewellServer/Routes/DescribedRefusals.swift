// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The codes of each route, computed once: a caller can cause refusals without end.
final class DescribedRefusals: Sendable {
    private let codes = Guarded<[String: [Int: Set<String>]]>([:])

    /// Whether a route's description contains a refusal.
    func contain(_ status: Int, _ code: String, of route: Route) -> Bool {
        let known = codes.withLock { codes in
            if let known = codes[route.operation.id] { return known }
            let made = RouteRefusals.codes(of: route)
            codes[route.operation.id] = made
            return made
        }
        return known[status]?.contains(code) ?? false
    }
}
