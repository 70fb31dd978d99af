// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The names of one customer: the SDK begins with an anonymous one, and a sign-in adds the app's own, so that the
/// customer has another identifier than the name that found them.
///
/// https://www.revenuecat.com/docs/customers/identifying-customers
extension RevenueCatConnector {
    /// Pages of names that are read at most.
    private static let pages = 20
    /// Names that are remembered at most.
    private static let most = 10_000

    /// Whether an answer is about the customer of a name: it is the identifier, or one of the names.
    ///
    /// - Parameter isDeleted: Whether the answer is that to a deletion, before which the customer was looked up.
    func isCustomer(_ answer: RawJSON, _ name: String, isDeleted: Bool) async throws -> Bool {
        guard let id = answer["id"]?.string else { return false }
        if id.isByteEqual(to: name) {
            if !isDeleted { remember(name) }
            return true
        }
        guard answer["object"]?.string == "customer" else { return false }
        return isDeleted ? true : try await aliases(of: name).contains(ExactText(name))
    }

    private func remember(_ name: String) {
        plain.withLock { plain in
            if plain.count >= Self.most { plain = [] }
            plain.insert(ExactText(name))
        }
    }

    /// - Throws: `ConnectorFault.refused` if the customer has a name that may be another user's.
    func requireOwn(_ name: String, among names: [String]) async throws {
        let own = Set(names.map(ExactText.init))
        let isOwn = try await aliases(of: name).allSatisfy {
            own.contains($0) || $0.text.hasBytePrefix("$RCAnonymousID:")
        }
        guard isOwn else {
            throw ConnectorFault.refused(
                rest.system, "the customer has further names, which may be another user's",
                remedy: "If they are all this user's, let `person` yield each of them, or delete the customer in "
                    + "RevenueCat; then release the erasure.")
        }
    }

    /// https://www.revenuecat.com/docs/api-v2#tag/Customer/operation/list-customer-aliases
    private func aliases(of name: String) async throws -> Set<ExactText> {
        let address = "\(try path(of: name))/aliases"
        var found: Set<ExactText> = []
        var last: String?
        for _ in 1...Self.pages {
            let mark = last.map { [(name: "starting_after", value: $0)] } ?? []
            let page = try await rest.ask(
                "GET", address, query: [(name: "limit", value: "100")] + mark,
                permission: "customer_information:customers:read"
            ).json(from: rest.system)
            guard page["object"]?.string == "list", let items = page["items"]?.elements else {
                throw ConnectorFault.garbled(rest.system, "no list of a customer's names")
            }
            found.formUnion(items.compactMap { $0["id"]?.string.map(ExactText.init) })
            guard let next = page["next_page"]?.string else { return found }
            guard let mark = Self.mark(in: next), mark != last else { break }
            last = mark
        }
        throw ConnectorFault.garbled(rest.system, "a list of a customer's names without its end")
    }
}
