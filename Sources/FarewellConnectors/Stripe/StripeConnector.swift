// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Stripe: subscriptions ended, then the customer deleted, and redacted if the plan says so.
///
/// The subject's names are customers (`cus_…`). Settings:
/// - `unpaid`: while an invoice is open, `cancel` the subscriptions all the same, or `refuse`; Farewell voids none;
/// - `subscriptions`: end `now`, or at `period-end`; then the step rests until the last of them has ended, and `latest`
///   days at the most (25; 1 to 30), and never beyond the 29th day after the request, because a deletion must not wait
///   for a year that was paid in advance;
/// - `redact`: `none`, or `job`: Stripe's redaction job, created, validated, run and awaited before the customer is
///   deleted;
/// - `mode`: `live` or `test`; the key and Stripe's answers must have this mode;
/// - `account`: the account that the key must be of: a customer is also unknown to another account of the same mode,
///   so without it an unknown customer parks the erasure;
/// - `connected`: a connected account (Stripe Connect) in which the customers are; the key is the platform's, and each
///   call names the account (https://docs.stripe.com/connect/authentication);
/// - `version`: the requested version of Stripe's interface, which redaction jobs need as long as they are a preview;
/// - `endpoint`.
///
/// Secrets: `key`. Stripe keeps invoices and payments, as the law requires.
///
/// Stripe still knows a deleted customer, and reports that it is deleted. An unknown customer suggests another mode or
/// account, so the answer counts only from the account that the plan names, or from one in which this process has seen
/// a customer of the app. It never counts if Stripe itself reports that the customer is in the other mode, or while the
/// account's customers have names of another form (`mixed: allowed` if there are several forms).
public struct StripeConnector: Connector {
    let rest: RESTCaller
    let withheld: WithheldValues
    private let now: @Sendable () -> Double
    private let unpaid: String
    /// How many days subscriptions may run on at the most; `nil` ends them now.
    private let latest: Int?
    private let redaction: StripeRedaction?
    private let mode: String?
    /// The account that the key must be of.
    private let accountID: String?
    /// The account that each call names.
    private let connectedID: String?
    private let secrets: SystemSecrets
    private let account: NamesInUse
    public let declaration: ConnectorDeclaration

    private var subscriptions: StripeSubscriptions { StripeSubscriptions(rest: rest) }

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .stripe)
        unpaid = try settings.word("unpaid", of: ["cancel", "refuse"])
        let isAtPeriodEnd = try settings.word("subscriptions", of: ["now", "period-end"]) == "period-end"
        latest = isAtPeriodEnd ? try settings.number("latest", in: 1...30) ?? 25 : nil
        let redacts = try settings.word("redact", of: ["none", "job"]) == "job"
        declaration = try settings.paced(Self.declaration(redacts: redacts, account: settings["account"]))
        mode = settings["mode"] == nil ? nil : try settings.word("mode", of: ["live", "test"])
        accountID = settings["account"]
        let connected = try Self.connected(settings)
        connectedID = connected
        account = try NamesInUse(settings, world: world)
        withheld = WithheldValues(system.export)
        let secrets = SystemSecrets(system, world: world)
        self.secrets = secrets
        let version = settings["version"]
        rest = RESTCaller(
            system.name, at: try settings.address(else: "https://api.stripe.com"), budget: declaration.budget,
            world: world, responses: .stripe, reading: ResponseTable.stripeWords
        ) {
            let proof = [(name: "Authorization", value: "Bearer \(try secrets.required("key"))")]
            let account = connected.map { [(name: "Stripe-Account", value: $0)] } ?? []
            return proof + account + (version.map { [(name: "Stripe-Version", value: $0)] } ?? [])
        }
        now = world.now
        redaction = redacts ? StripeRedaction(rest: rest, now: world.now) : nil
    }

    private static func connected(_ settings: SystemSettings) throws -> String? {
        guard let account = settings["connected"] else { return nil }
        guard settings["account"] == nil else {
            throw settings.fault("has `account`, the key's own, and `connected`, another one", remedy: "Remove one.")
        }
        guard account.wholeMatch(of: /acct_[A-Za-z0-9]{1,100}/) != nil else {
            throw settings.fault("has a setting connected that is no account (acct_…)")
        }
        return account
    }

    private static func declaration(redacts: Bool, account: String?) -> ConnectorDeclaration {
        let kept =
            redacts
            ? "The payment service keeps them, without the subject's identifiers, as tax and accounting law requires."
            : "The payment service keeps them for the time that tax and accounting law requires."
        return ConnectorDeclaration(
            abilities: redacts ? [.count, .verify, .acceptsFirst] : [.count, .verify],
            budget: RateBudget(burst: 20, perSecond: 20),
            permissions: ["Customers: write", "Subscriptions: write", "Invoices: read"]
                + (redacts ? ["Redaction jobs: write"] : []) + (account == nil ? [] : ["Account: read"]),
            remarks: [
                ReceiptNote(about: "invoices and payments", note: kept),
                ReceiptNote(
                    about: "other customers",
                    note: "Customers that the app does not name as the subject's, such as guests at a checkout, were "
                        + "not looked for."),
            ])
    }

    // MARK: The account

    /// https://docs.stripe.com/api/customers/list
    public func prove() async throws -> String? {
        let found = try await customers()
        let kind = found.isLive.map { $0 ? " of live mode" : " of test mode" } ?? ""
        let hasAccount = accountID ?? connectedID != nil
        let doubt = hasAccount ? "" : "; without the setting account, a customer unknown to Stripe is refused"
        return
            (found.isEmpty
            ? "the key\(kind) works, and the account has no customers" : "the key\(kind) sees the account's customers")
            + doubt
    }

    /// Deletes a subscription and a customer that do not exist: Stripe looks at a restricted key's rights first.
    ///
    /// https://docs.stripe.com/keys/restricted-api-keys
    public func proveRights() async throws -> String? {
        let unused = rest.unusedName
        try await subscriptions.proveRights(of: unused, invoices: unpaid == "refuse")
        _ = try await delete("cus_\(unused)", unused, isRedacted: false)
        return "it may cancel subscriptions and delete customers"
    }

    /// Customers whose names are compared with the person's, and the most bytes about them: apps write metadata.
    private static let page = 100
    private static let longest = 16 << 20

    private func customers() async throws -> (names: NameSample, isEmpty: Bool, isLive: Bool?) {
        let keyMode = Self.mode(ofKey: try secrets.required("key"))
        if let mode, let keyMode, mode != keyMode {
            throw ConnectorFault.unproved(
                rest.system, "the plan sets \(mode) mode, but the key is for \(keyMode) mode")
        }
        let found = try await rest.ask(
            "GET", "/v1/customers", query: [("limit", "\(Self.page)")], permission: "Customers: read",
            limit: Self.longest
        ).json(from: rest.system)
        guard found["object"]?.string == "list", let data = found["data"]?.elements else {
            throw ConnectorFault.garbled(rest.system, "no list")
        }
        try await requireOwnAccount()
        let isLive = data.first?["livemode"]?.boolean ?? keyMode.map { $0 == "live" }
        if let mode, let isLive, isLive != (mode == "live") {
            throw ConnectorFault.unproved(
                rest.system, "the plan sets \(mode) mode, but the account answers in the other")
        }
        return (NameSample(names: data.compactMap { $0["id"]?.string }), data.isEmpty, isLive)
    }

    /// https://docs.stripe.com/api/accounts/retrieve
    private func requireOwnAccount() async throws {
        guard let accountID else { return }
        let found = try await rest.object("GET", "/v1/account", permission: "Account: read")
        guard found["object"]?.string == "account", let id = found["id"]?.string else {
            throw ConnectorFault.garbled(rest.system, "no account")
        }
        guard id.isByteEqual(to: accountID) else {
            throw ConnectorFault.unproved(rest.system, "the key is of another account than the plan's")
        }
    }

    /// `sk_live_…`, `rk_test_…`; https://docs.stripe.com/keys
    private static func mode(ofKey key: String) -> String? {
        ["live", "test"].first { mode in ["sk", "rk"].contains { key.hasBytePrefix("\($0)_\(mode)_") } }
    }

    private func requireAccount(for request: ConnectorRequest) async throws {
        try await account.require(request.names, request.record) {
            let found = try await customers()
            guard !found.isEmpty else {
                throw ConnectorFault.unproved(
                    rest.system, "the key sees no customers, although Stripe still lists deleted ones",
                    remedy: "Give the key of the customers' account and mode, then release the erasure.")
            }
            // The customers may be those of another account.
            guard accountID ?? connectedID != nil else {
                throw ConnectorFault.unproved(
                    rest.system, "Stripe does not know the customer, and the plan does not name the account",
                    remedy: "Name the account in the setting `account` (acct_…), or a connected one in `connected`, or "
                        + "correct the customer's identifier; then release the erasure.")
            }
            return found.names
        }
    }

    // MARK: Customers

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        try await request.count { try await isThere($0, of: request) }
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        ConnectorReading(left: try await request.count { try await isThere($0, of: request) })
    }

    /// One customer, or as much of one as can be done now. A refused customer is put off until all others are erased.
    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        let place = try Place(cursor: request.cursor, system: rest.system)
        guard place.number < request.names.count else { return .nothingThere }
        do {
            return try await erase(request, place)
        } catch let fault as ConnectorFault where fault.isRefusal {
            guard let next = place.puttingOff(of: request.names.count) else { throw fault }
            return .more(0, cursor: try next.text())
        }
    }

    private func erase(_ request: ConnectorRequest, _ start: Place) async throws -> ConnectorAnswer {
        var place = start
        let name = request.names[place.number]
        let key = "\(request.key)/\(name)"
        var erased = 0
        if place.job != nil {
            if let answer = try await redact(name, key, &place) { return answer }
            erased = try await delete(name, key, isRedacted: true)
        } else if try await isThere(name, of: request) {
            if unpaid == "refuse" { try await subscriptions.requirePaid(name) }
            if let rest = try await wait(for: name, key, &place, request) { return rest }
            try await subscriptions.end(of: name, key)
            if let answer = try await redact(name, key, &place) { return answer }
            erased = try await delete(name, key, isRedacted: false)
        }
        if let next = place.next(of: request.names.count) { return .more(erased, cursor: try next.text()) }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    /// The latest end of subscriptions that may end with their period.
    private func wait(
        for customer: String, _ key: String, _ place: inout Place, _ request: ConnectorRequest
    ) async throws -> ConnectorAnswer? {
        guard let latest else { return nil }
        let now: Double
        switch request.time {
        case .own: now = self.now()
        case .decided(let time): now = time
        case .doubtful(let time):
            return .resting(
                cursor: try place.text(), until: time + 3_600,
                why: "the clock cannot be trusted, and subscriptions may end on a day")
        }
        let since = place.since ?? now
        place.since = since
        // It ends thirty days after the subject's request, whatever grace came before.
        let promised = request.requestedAt.map { $0 + 29 * 86_400 } ?? .infinity
        let last = min(since + Double(latest) * 86_400, promised)
        guard now < last, let end = try await subscriptions.lettingEnd(of: customer, key) else { return nil }
        // A minute, so that Stripe itself ends them.
        let until = min(max(end, now) + 60, last)
        return .resting(
            cursor: try place.text(), until: until, why: "subscriptions run to the end of the paid period")
    }

    private func redact(_ customer: String, _ key: String, _ place: inout Place) async throws -> ConnectorAnswer? {
        guard let redaction else { return nil }
        let (job, pause) = try await redaction.advance(place.job, customer, key)
        guard let pause else { return nil }
        place.job = job
        switch pause {
        case .seconds(let seconds): return .accepted(cursor: try place.text(), seconds: seconds)
        case .rest(let until):
            return .resting(cursor: try place.text(), until: until, why: "its redaction job is running")
        }
    }

    /// - Returns: How many customers were deleted.
    private func delete(_ customer: String, _ key: String, isRedacted: Bool) async throws -> Int {
        let reply = try await rest.ask(
            "DELETE", "/v1/customers/\(try rest.part(customer))", key: key, answers: isRedacted ? [400, 404] : [404],
            permission: "Customers: write")
        let answer = try reply.json(from: rest.system)
        // A redacted customer may refuse a deletion; the verification reads back whether anything is left.
        if reply.status == 404 { try requireMissing(reply) }
        guard reply.status < 300 else { return 0 }
        guard answer["deleted"]?.boolean == true, answer["id"]?.string?.isByteEqual(to: customer) == true else {
            throw ConnectorFault.garbled(rest.system, "it does not say that the customer is deleted")
        }
        return 1
    }

    /// A customer that is deleted or redacted is still known by its identifier, and says so.
    private func isThere(_ customer: String, of request: ConnectorRequest) async throws -> Bool {
        try await found(customer, of: request) != nil
    }

    /// The customer as Stripe describes them; `nil` if there is none any more.
    func found(_ customer: String, of request: ConnectorRequest) async throws -> RawJSON? {
        let reply = try await rest.ask(
            "GET", "/v1/customers/\(try rest.part(customer))", answers: [404], permission: "Customers: read")
        let found = try reply.json(from: rest.system)
        if reply.status == 404 {
            // Anything may answer 404 at a wrong address; only Stripe says that it misses the customer.
            try requireMissing(reply)
            try await requireAccount(for: request)
            return nil
        }
        guard found["id"]?.string?.isByteEqual(to: customer) == true, found["object"]?.string == "customer" else {
            throw ConnectorFault.garbled(rest.system, "no customer")
        }
        account.sawSomething()
        if let mode, let isLive = found["livemode"]?.boolean, isLive != (mode == "live") {
            throw ConnectorFault.unproved(rest.system, "the plan sets \(mode) mode, but the customer is in the other")
        }
        let isGone = found["deleted"]?.boolean == true || found["redaction"]?["status"]?.string == "redacted"
        return isGone ? nil : found
    }

    /// - Throws: `ConnectorFault` where the 404 is another one than that of a missing customer.
    private func requireMissing(_ reply: SystemReply) throws {
        switch rest.line(reply).outcome {
        case .absent: return
        case .refused where ResponseTable.stripeWords(reply).code.isEmpty:
            throw ConnectorFault.garbled(rest.system, "a 404 from another service")
        default: throw rest.fault(reply, needs: "Customers: read")
        }
    }

    /// Which customer's turn it is, and how far it is with that one.
    private struct Place: ConnectorCursor {
        var number = 0
        /// The time at which subscriptions were first told to end, in seconds since 1970.
        var since: Double?
        var job: StripeRedaction.Job?
        /// Customers whose turn comes again after the last.
        var later: [Int]?
        /// Their turn has come: a refusal is final.
        var isLast: Bool?

        /// The next customer's turn; `nil` after the last.
        func next(of count: Int) -> Place? {
            var next = Place()
            // The days of all customers are the same: one after the other they would add up.
            next.since = since
            if isLast != true, number + 1 < count {
                next.number = number + 1
                next.later = later
                return next
            }
            guard let first = later?.first else { return nil }
            next.number = first
            next.later = later.map { Array($0.dropFirst()) }
            next.isLast = true
            return next
        }

        /// The next customer's turn before this one; `nil` if there is no other.
        func puttingOff(of count: Int) -> Place? {
            guard isLast != true, count > 1 else { return nil }
            var place = self
            place.later = (later ?? []) + [number]
            return place.next(of: count)
        }

        init() {}

        var isPlausible: Bool {
            number >= 0 && (later ?? []).allSatisfy { $0 >= 0 } && job.map { $0.questions < .max } ?? true
        }
    }
}
