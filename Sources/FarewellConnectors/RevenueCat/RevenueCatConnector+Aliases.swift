// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The names of one customer: the SDK begins with an anonymous one, and a sign-in adds the app's own, so that the
/// customer may have another identifier than the name that found them. A sign-in on a shared device, or a purchase that
/// is restored in another account, may add another user's.
///
/// https://www.revenuecat.com/docs/customers/identifying-customers
extension RevenueCatConnector {
    /// Pages of names that are read at most.
    private static let pages = 20
    /// Customers that are remembered at most, and for how many seconds.
    private static let most = 10_000
    private static let moment = 60.0

    /// Whether an answer is about the customer of a name: it is the identifier, or one of the names.
    ///
    /// - Parameter isDeleted: Whether the answer is that to a deletion, before which the customer's names were read. It
    ///   says when the customer was deleted; without that it describes a customer who is there.
    func isCustomer(_ answer: RawJSON, _ name: String, isDeleted: Bool) async throws -> Bool {
        guard let id = answer["id"]?.string, !isDeleted || answer["deleted_at"]?.integer != nil else { return false }
        if id.isByteEqual(to: name) { return true }
        guard answer["object"]?.string == "customer" else { return false }
        return isDeleted ? true : try await aliases(of: name)?.contains(ExactText(name)) ?? false
    }

    /// Whether there is such a customer, whose names are all the subject's or anonymous. The first interface shows the
    /// customer's first name alone.
    ///
    /// - Throws: `ConnectorFault.refused` if the customer has a name that may be another user's.
    func isOwn(_ name: String, among names: [String]) async throws -> Bool {
        guard let found = try await self.names(of: name, among: names) else { return false }
        guard Self.areOwn(found, among: names) else {
            throw ConnectorFault.refused(
                rest.system, "the customer has further names, which may be another user's",
                remedy: "If they are all this user's, let `person` yield each of them, or delete the customer in "
                    + "RevenueCat; then release the erasure.")
        }
        return true
    }

    /// Whether that was seen a moment ago; it counts once.
    func wasOwn(_ name: String) -> Bool {
        guard let seen = own.withLock({ $0.removeValue(forKey: ExactText(name)) }) else { return false }
        return uptime() - seen < Self.moment
    }

    /// The names of a customer; `nil` if there is none.
    func names(of name: String, among names: [String]) async throws -> Set<ExactText>? {
        guard case .second = api else {
            guard let answer = try await found(name)?.json(from: rest.system) else { return nil }
            return Set([answer["subscriber"]?["original_app_user_id"]?.string].compactMap(\.self).map(ExactText.init))
        }
        guard let aliases = try await aliases(of: name) else { return nil }
        // The identifier may be left out of the list.
        if !aliases.contains(ExactText(name)) {
            guard try await found(name) != nil else { return nil }
        }
        sawSomething()
        if Self.areOwn(aliases, among: names) {
            let now = uptime()
            own.withLock { own in
                if own.count >= Self.most { own = [:] }
                own[ExactText(name)] = now
            }
        }
        return aliases
    }

    private static func areOwn(_ found: Set<ExactText>, among names: [String]) -> Bool {
        let own = Set(names.map(ExactText.init))
        return found.allSatisfy { own.contains($0) || isAnonymous($0.text) }
    }

    /// Whether the SDK made the name.
    static func isAnonymous(_ name: String) -> Bool { name.hasBytePrefix("$RCAnonymousID:") }

    /// https://www.revenuecat.com/docs/api-v2#tag/Customer/operation/list-customer-aliases
    ///
    /// - Returns: `nil` if there is no such customer.
    private func aliases(of name: String) async throws -> Set<ExactText>? {
        let address = "\(try path(of: name))/aliases"
        var found: Set<ExactText> = []
        var last: String?
        for _ in 1...Self.pages {
            let mark = last.map { [(name: "starting_after", value: $0)] } ?? []
            let reply = try await rest.ask(
                "GET", address, query: [(name: "limit", value: "100")] + mark, answers: [404],
                permission: "customer_information:customers:read")
            guard reply.status != 404 else {
                try await requireMissing(reply)
                return nil
            }
            let page = try reply.json(from: rest.system)
            guard page["object"]?.string == "list", let items = page["items"]?.elements else {
                throw ConnectorFault.garbled(rest.system, "no list of a customer's names")
            }
            found.formUnion(items.compactMap { $0["id"]?.string.map(ExactText.init) })
            guard let next = page["next_page"]?.string else { return found }
            guard let mark = Self.mark(in: next), last?.isByteEqual(to: mark) != true else { break }
            last = mark
        }
        throw ConnectorFault.garbled(rest.system, "a list of a customer's names without its end")
    }
}
