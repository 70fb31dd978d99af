// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import FarewellServer
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

/// Records its events, and refuses as often as requested.
struct RememberedReaders: RevocationEventDelivery {
    let readers: [String]
    /// The identifiers of all tries, also of those that were refused.
    let tries = Guarded<[String]>([])
    let taken = Guarded<[OutgoingRevocation]>([])
    let refusals = Guarded<[DeliveryFailure]>([])
    private let meanwhile: @Sendable () async -> Void

    init(_ readers: [String] = ["forum"], meanwhile: @escaping @Sendable () async -> Void = {}) {
        self.readers = readers
        self.meanwhile = meanwhile
    }

    func report(_ revocation: OutgoingRevocation, to reader: String) async throws(DeliveryFailure) {
        tries.withLock { $0.append(revocation.id) }
        await meanwhile()
        let refusal: DeliveryFailure? = refusals.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let refusal { throw refusal }
        taken.withLock { $0.append(revocation) }
    }
}

/// Users, the control store beside them, and the deliverer of ended sessions.
private struct ReaderFixture: Sendable {
    let fixture: AuthorityFixture
    let plan: Plan
    let engine: ErasureEngine

    static func with(_ dialect: SQLDialect, _ use: (ReaderFixture) async throws -> Void) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let users = dialect == .postgresql ? TableName(schema: "auth", "users") : TableName("auth_users")
            let schema = try await Schema.read(from: fixture.fixture.database)
            let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(users, "id")).plan.answeringAll(.owner)
            let engine = try await fixture.fixture.engine(plan)
            try await use(ReaderFixture(fixture: fixture, plan: plan, engine: engine))
        }
    }

    func deliverer(_ delivery: RememberedReaders) -> RevocationDeliverer {
        RevocationDeliverer(fixture.authority, engine: engine, delivery: delivery)
    }

    /// As another process would have it, or the same one after a restart.
    func another(_ delivery: RememberedReaders, on database: (any SQLDatabase)? = nil) async throws -> RevocationDeliverer {
        let authority = try await fixture.again(on: database)
        let engine = try await fixture.fixture.engine(plan, owner: "here:2:b", on: database)
        return RevocationDeliverer(authority, engine: engine, delivery: delivery)
    }

    /// Signs a user in, and out again.
    @discardableResult
    func leave(_ name: String = "anna") async throws -> UUID {
        let grant = try await fixture.signIn(name)
        try await fixture.authority.signOut(ticket: grant.signOutTicket)
        return grant.sessionID
    }

    /// The feed after a cursor, by the identifiers of its events.
    func feed(after cursor: Int64 = 0) async throws -> [String] {
        try await fixture.authority.revocations(after: cursor).map { OutgoingRevocation($0).id }
    }

    var table: String { fixture.fixture.control("revocation_readers") }

    /// Ends every pause and every claim.
    func postpone() async throws { try await fixture.fixture.run("UPDATE \(table) SET next_at = '2999-01-01T00:00:00.000Z'") }

    func ripen() async throws { try await fixture.fixture.run("UPDATE \(table) SET next_at = '2001-01-01T00:00:00.000Z'") }

    func state(_ state: String, of erasure: UUID) async throws {
        let cause = state == "needs attention" ? "'The plan is of another schema.'" : "NULL"
        try await fixture.fixture.run(
            """
            UPDATE \(fixture.fixture.control("erasures")) SET state = '\(state)', cause = \(cause)
            WHERE id = '\(erasure.text)'
            """)
    }

    /// Name, cursor and failures of each reader.
    func positions() async throws -> [String] {
        try await fixture.fixture.rows("SELECT name, feed_cursor, attempts FROM \(table)")
    }

    /// The number of readers due after so many seconds from now, and not before.
    func due(after first: Int, atMost last: Int) async throws -> [String] {
        let (early, late) = (engine.control.fromNow("\(first)"), engine.control.fromNow("\(last)"))
        return try await fixture.fixture.rows("SELECT count(*) FROM \(table) WHERE next_at > \(early) AND next_at <= \(late)")
    }

    func lines(_ words: String) -> [String] { fixture.fixture.log.lines.filter { $0.contains(words) } }
}

@Suite("Notices of ended sessions")
struct RevocationDelivererTests {
    @Test(
        "BX-10 a reader receives ended sessions from its configuration on, each once and in order, even after a restart",
        arguments: SQLDialect.allCases)
    func inOrder(_ dialect: SQLDialect) async throws {
        try await ReaderFixture.with(dialect) { place in
            try await place.fixture.person()
            try await place.leave()
            let delivery = RememberedReaders()
            let deliverer = place.deliverer(delivery)
            try await deliverer.enter()
            let start = try await place.fixture.authority.newestRevocation()
            #expect(try await place.positions() == ["forum \(start) 0"])
            var ended: Set<UUID> = []
            for _ in 1...3 { ended.insert(try await place.leave()) }
            for _ in 1...2 { try await deliverer.deliver(to: "forum") }
            let feed = try await place.fixture.authority.revocations(after: start)
            #expect(delivery.taken.withLock { $0 } == feed.map { OutgoingRevocation($0) })
            #expect(Set(feed.compactMap(\.sessionID)) == ended && feed.count == 3)
            let names = feed.map { "session/\($0.sessionID?.text ?? "")/\($0.cursor)" }
            #expect(delivery.tries.withLock { $0 } == names)

            let restarted = try await place.another(delivery)
            try await place.leave()
            try await restarted.enter()
            for _ in 1...2 { try await restarted.deliver(to: "forum") }
            let all = try await place.feed(after: start)
            #expect(delivery.tries.withLock { $0 } == all && all.count == 4)
            let newest = try await place.fixture.authority.newestRevocation()
            #expect(try await place.positions() == ["forum \(newest) 0"])

            // A new reader is added; sessions that ended before are not for it.
            let later = RememberedReaders(["crm"])
            for _ in 1...2 { try await place.deliverer(later).deliver(to: "crm") }
            #expect(later.tries.withLock { $0 }.isEmpty)
            try await place.leave()
            try await place.deliverer(later).deliver(to: "crm")
            #expect(try await later.tries.withLock { $0 } == place.feed(after: newest))
        }
    }

    @Test(
        "BX-10 one of several servers notifies a reader; a server with an expired claim moves nothing and sends nothing more",
        arguments: SQLDialect.allCases)
    func oneAtATime(_ dialect: SQLDialect) async throws {
        try await ReaderFixture.with(dialect) { place in
            try await place.fixture.person()
            let database = try openDatabase(
                place.fixture.fixture.address, sqlite: SQLiteConfiguration(busyTimeout: .seconds(60)))
            let (mayGoOn, goOn) = AsyncStream.makeStream(of: Void.self)
            let (first, second) = (RememberedReaders(meanwhile: { for await _ in mayGoOn {} }), RememberedReaders())
            let slow = place.deliverer(first)
            let quick = try await place.another(second, on: database)
            try await slow.enter()
            for _ in 1...3 { try await place.leave() }
            async let telling: Void = slow.deliver(to: "forum")
            try await eventually { first.tries.withLock { $0.count } == 1 }
            try await quick.deliver(to: "forum")
            #expect(second.tries.withLock { $0 }.isEmpty, "another server is delivering")
            try await place.ripen()
            try await quick.deliver(to: "forum")
            goOn.finish()
            try await telling
            let feed = try await place.feed()
            #expect(second.tries.withLock { $0 } == feed && feed.count == 3)
            #expect(first.tries.withLock { $0 } == [feed[0]], "the same identifier, and nothing after it")
            let newest = try await place.fixture.authority.newestRevocation()
            #expect(try await place.positions() == ["forum \(newest) 0"])

            for _ in 1...3 { try await place.leave() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for deliverer in [slow, quick] { group.addTask { try await deliverer.deliver(to: "forum") } }
                try await group.waitForAll()
            }
            let told = first.tries.withLock { Array($0.dropFirst()) } + second.tries.withLock { Array($0.dropFirst(3)) }
            #expect(try await told.sorted() == place.feed(after: newest).sorted(), "each by one of them")
            await database.close()
        }
    }

    @Test(
        "BX-10 an event that a reader does not accept is sent again in order with the same identifier; a finally refused one is not",
        arguments: SQLDialect.allCases)
    func again(_ dialect: SQLDialect) async throws {
        try await ReaderFixture.with(dialect) { place in
            try await place.fixture.person()
            let delivery = RememberedReaders()
            let deliverer = place.deliverer(delivery)
            try await deliverer.enter()
            for _ in 1...2 { try await place.leave() }
            let feed = try await place.feed()
            delivery.refusals.withLock { $0 = [DeliveryFailure("status 503"), DeliveryFailure("status 503", retryAfter: 86_400)] }
            try await deliverer.deliver(to: "forum")
            #expect(try await place.positions() == ["forum 0 1"])
            #expect(try await place.due(after: -600, atMost: 5) == ["1"])
            try await place.postpone()
            try await deliverer.deliver(to: "forum")
            #expect(delivery.tries.withLock { $0 } == [feed[0]], "not before its time")
            try await place.ripen()
            try await deliverer.deliver(to: "forum")
            #expect(try await place.positions() == ["forum 0 2"])
            #expect(try await place.due(after: 3_000, atMost: 3_600) == ["1"], "later, as it asked, while the feed has it")
            try await place.ripen()
            try await deliverer.deliver(to: "forum")
            #expect(delivery.tries.withLock { $0 } == [feed[0], feed[0], feed[0], feed[1]])
            #expect(delivery.taken.withLock { $0.map(\.id) } == feed)
            let warnings = place.lines("did not accept the report of an ended session")
            #expect(warnings.count == 2 && warnings.allSatisfy { $0.hasPrefix("warning") && $0.contains("status 503") }, "\(warnings)")

            let newest = try await place.fixture.authority.newestRevocation()
            delivery.refusals.withLock { $0 = [DeliveryFailure("status 400: refused", isFinal: true)] }
            for _ in 1...2 { try await place.leave() }
            try await deliverer.deliver(to: "forum")
            let more = try await place.feed(after: newest)
            #expect(delivery.tries.withLock { Array($0.suffix(2)) } == more && more.count == 2)
            #expect(delivery.taken.withLock { $0.map(\.id) } == feed + [more[1]])
            let refused = place.lines("permanently refused")
            #expect(refused.count == 1 && refused.allSatisfy { $0.hasPrefix("error") }, "\(refused)")
            for id in feed + more {
                let session = String(id.split(separator: "/")[1])
                #expect((warnings + refused).allSatisfy { !$0.contains(session) }, "no session is named")
            }
        }
    }

    @Test("a reader with an impossible stored failure count is called again after the longest delay")
    func absurdFailures() async throws {
        try await ReaderFixture.with(.sqlite) { place in
            try await place.fixture.person()
            let delivery = RememberedReaders()
            let deliverer = place.deliverer(delivery)
            try await deliverer.enter()
            try await place.leave()
            try await place.fixture.fixture.run("UPDATE \(place.table) SET attempts = \(Int64.max)")
            delivery.refusals.withLock { $0 = [DeliveryFailure("status 503")] }
            try await deliverer.deliver(to: "forum")
            #expect(try await place.positions() == ["forum 0 1001"])
            #expect(try await place.due(after: 1_700, atMost: 3_600) == ["1"])
        }
    }

    @Test("BX-10 an entry that a reader rejects for a day is dropped, and one log line says so", arguments: SQLDialect.allCases)
    func givenUp(_ dialect: SQLDialect) async throws {
        try await ReaderFixture.with(dialect) { place in
            try await place.fixture.person()
            let delivery = RememberedReaders()
            let deliverer = place.deliverer(delivery)
            try await deliverer.enter()
            for _ in 1...2 { try await place.leave() }
            let old = try await place.feed()
            delivery.refusals.withLock { $0 = [DeliveryFailure("status 500"), DeliveryFailure("status 500")] }
            try await deliverer.deliver(to: "forum")
            place.fixture.clock.now += 86_390
            try await place.ripen()
            try await deliverer.deliver(to: "forum")
            #expect(delivery.tries.withLock { $0 } == [old[0], old[0]] && place.lines("a day ago").isEmpty, "it is tried all day")
            place.fixture.clock.now += 20
            try await place.leave()
            try await place.ripen()
            try await deliverer.deliver(to: "forum")
            let newest = try await place.fixture.authority.newestRevocation()
            let all = try await place.feed()
            #expect(delivery.taken.withLock { $0.map(\.id) } == [all[2]] && all.count == 3)
            #expect(try await place.positions() == ["forum \(newest) 0"])
            let lines = place.lines("a day ago")
            #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix("error") }, "\(lines)")
        }
    }

    @Test(
        "BX-10 only the erasure event reports an erased user; a user deleted without an erasure is reported once",
        arguments: SQLDialect.allCases)
    func deleted(_ dialect: SQLDialect) async throws {
        try await ReaderFixture.with(dialect) { place in
            let erased = try await place.fixture.person("anna").user.id
            let stayed = try await place.fixture.person("berta").user.id
            let gone = try await place.fixture.person("carla").user.id
            _ = try await place.fixture.signIn("carla")
            let delivery = RememberedReaders()
            let deliverer = place.deliverer(delivery)
            try await deliverer.enter()
            let requests = ErasureRequests(place.engine, rules: ServiceRules(graceDays: 3, secondLook: 0, poll: 1))
            let begun = try await requests.request(erased.text).erasure.id
            try await place.state("fenced", of: begun)
            try await place.fixture.authority.close([erased.text])
            // They took it back, and an operator deleted them later.
            let asked = try await requests.request(stayed.text).erasure.id
            _ = try await requests.cancel(asked, by: stayed.text)
            try await place.fixture.authority.deleteUser(gone, .soft)
            for person in [stayed, gone] { try await place.fixture.authority.deleteUser(person) }
            try await deliverer.deliver(to: "forum")
            let told = delivery.taken.withLock { $0 }
            #expect(told.map(\.entry.subject) == [stayed, gone] || told.map(\.entry.subject) == [gone, stayed], "\(told)")
            #expect(told.allSatisfy { $0.entry.sessionID == nil && $0.entry.reason == .deleted })
            #expect(told.allSatisfy { $0.id == "sessions/\($0.entry.subject.text)/\($0.entry.cursor)" })
            let newest = try await place.fixture.authority.newestRevocation()
            #expect(try await place.positions() == ["forum \(newest) 0"])
        }
    }

    @Test(
        "BX-10 a user deleted by an operator while the erasure waits, or is parked before its start, is reported at once",
        arguments: SQLDialect.allCases)
    func deletedWhileWaiting(_ dialect: SQLDialect) async throws {
        try await ReaderFixture.with(dialect) { place in
            let delivery = RememberedReaders()
            let deliverer = place.deliverer(delivery)
            try await deliverer.enter()
            let requests = ErasureRequests(place.engine, rules: ServiceRules(graceDays: 3, secondLook: 0, poll: 1))
            var people: [UUID] = []
            for name in ["anna", "berta", "carla"] {
                let person = try await place.fixture.person(name).user.id
                let asked = try await requests.request(person.text).erasure.id
                if name != "anna" { try await place.state("needs attention", of: asked) }
                if name == "carla" {
                    try await place.fixture.fixture.run(
                        """
                        INSERT INTO \(place.fixture.fixture.control("events")) (erasure, kind, happened_at)
                        SELECT id, 'erasure.begun', requested_at FROM \(place.fixture.fixture.control("erasures"))
                        WHERE id = '\(asked.text)'
                        """)
                }
                try await place.fixture.authority.deleteUser(person)
                people.append(person)
            }
            try await deliverer.deliver(to: "forum")
            #expect(delivery.taken.withLock { $0.map(\.entry.subject) } == Array(people.prefix(2)))
        }
    }

    @Test("a feed restored from a back-up is delivered from its beginning, unchanged", arguments: SQLDialect.allCases)
    func restored(_ dialect: SQLDialect) async throws {
        try await ReaderFixture.with(dialect) { place in
            try await place.fixture.person()
            let delivery = RememberedReaders()
            let deliverer = place.deliverer(delivery)
            try await deliverer.enter()
            try await place.leave()
            try await deliverer.deliver(to: "forum")
            try await place.fixture.fixture.run("UPDATE \(place.table) SET feed_cursor = 1000000")
            for _ in 1...3 { try await deliverer.deliver(to: "forum") }
            let feed = try await place.feed()
            #expect(delivery.tries.withLock { $0 } == feed + feed && feed.count == 1)

            // Also while the reader waits: when it is its turn again the feed may have caught up with it.
            try await place.fixture.fixture.run(
                "UPDATE \(place.table) SET feed_cursor = 1000000, next_at = '2999-01-01T00:00:00.000Z'")
            try await place.another(delivery).enter()
            #expect(try await place.positions() == ["forum 0 0"])
        }
    }

    @Test(
        "an ended session is reported at once; a deliverer stopped during a delivery releases the reader",
        arguments: SQLDialect.allCases)
    func running(_ dialect: SQLDialect) async throws {
        try await ReaderFixture.with(dialect) { place in
            try await place.fixture.person()
            let delivery = RememberedReaders()
            try await place.deliverer(delivery).enter()
            try await Self.run(place, delivery) {
                try await place.leave()
                try await eventually { delivery.taken.withLock { $0.count } == 1 }
            }
            let stopped = RememberedReaders(meanwhile: { await untilCancelled() })
            stopped.refusals.withLock { $0 = [DeliveryFailure("no answer: CancellationError")] }
            try await Self.run(place, stopped) {
                try await place.leave()
                try await eventually { stopped.tries.withLock { $0.count } == 1 }
            }
            #expect(place.lines("did not accept").isEmpty)
            try await place.deliverer(delivery).deliver(to: "forum")
            #expect(try await delivery.tries.withLock { $0 } == place.feed())
        }
    }

    /// Lets the authority and a deliverer run while `body` does, and cancels them.
    private static func run(
        _ place: ReaderFixture, _ delivery: RememberedReaders, _ body: () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await place.fixture.authority.run() }
            group.addTask { await place.deliverer(delivery).run() }
            defer { group.cancelAll() }
            try await body()
        }
    }
}
