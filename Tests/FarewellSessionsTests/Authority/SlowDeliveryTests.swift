// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import FarewellKeys
import FarewellSQL
@testable import FarewellSessions
import Foundation
import Synchronization
import TestFixtures
import Testing

/// A sender that keeps the mails to one domain until its task is cancelled, and notes each mail that it gets.
private final class PartlySlowSender: MailSending {
    private let addresses = Mutex<[String]>([])

    var begun: [String] { addresses.withLock { $0 } }

    func send(_ mail: Mail) async throws {
        addresses.withLock { $0.append(mail.address) }
        guard mail.address.hasSuffix("slow.example") else { return }
        await untilCancelled()
        throw CancellationError()
    }
}

@Suite("Mails to a host that answers slowly")
struct SlowDeliveryTests {
    @Test("OPS-07 mails that hang delay no later mail to other domains, and take two places at most", arguments: SQLDialect.allCases)
    func hanging(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let sender = PartlySlowSender()
            let authority = try await SessionAuthority.open(
                fixture.fixture.database, settings: fixture.authority.settings, state: fixture.fixture.state,
                partners: AuthorityPartners(mail: sender), environment: fixture.fixture.environment(),
                work: fixture.work.work, entropy: .live)
            func forget(_ address: String) async throws {
                _ = try await authority.signUp(SignUpRequest(email: address, password: AuthorityFixture.password))
                try await authority.sendCode(.recovery, to: address)
            }
            let delivery = Task { await authority.parts.mailDelivery.deliverRegularly(by: sender) }
            // Each hangs before the next one is due.
            for number in 1...4 {
                try await forget("anna\(number)@mail\(number).slow.example")
                try await eventually { sender.begun.count == min(number, 2) }
            }
            for name in ["berta", "carla"] {
                try await forget("\(name)@example.org")
                try await eventually { sender.begun.contains("\(name)@example.org") }
            }
            #expect(sender.begun.count { $0.hasSuffix("slow.example") } == 2)
            delivery.cancel()
            await delivery.value
            let sent = try await fixture.delivered()
            #expect(Set(sent.map(\.address)).count == 4 && sent.count == 4, "all of them, where nothing hangs")
            #expect(try await fixture.count("outgoing_mail") == 0)
        }
    }

    @Test("OPS-07 a domain has half of the places, and the mail that leaves one makes room for the next")
    func places() {
        var slots = MailSlots()
        let (slow, other): ([UInt8], [UInt8]) = ([1], [2])
        #expect(slots.acquire(for: slow) && slots.full.isEmpty)
        #expect(slots.acquire(for: slow) && slots.full == [slow])
        #expect(!slots.acquire(for: slow) && slots.acquire(for: other) && slots.acquire(for: nil))
        #expect(!slots.release(other) && !slots.release(nil))
        #expect(slots.release(slow) && slots.full.isEmpty)
        #expect(slots.acquire(for: slow) && slots.release(slow) && !slots.release(slow) && !slots.release(slow))
    }

    @Test("OPS-07 no mail is claimed while all places are taken, and only the end of one that may have delayed others wakes them")
    func waking() {
        var slots = MailSlots()
        for domain in [1, 2, 3] as [UInt8] {
            #expect(slots.acquire(for: [domain]) && !slots.areTaken)
        }
        let mayHaveWaited = slots.leave([3])
        #expect(!mayHaveWaited)
        #expect(slots.acquire(for: [1]) && slots.acquire(for: nil) && slots.areTaken)
        #expect(!slots.acquire(for: [2]) && !slots.acquire(for: nil))
        #expect(slots.leave(nil) && !slots.areTaken)
        #expect(slots.leave([1]) && !slots.leave([1]) && !slots.leave([2]))
    }

    @Test("OPS-07 subdomains are one domain with their owner's, and domains below a country's short label are each their own")
    func domains() {
        #expect(MailRequest.domain(of: "anna@mail.example.org") == ["example", "org"])
        #expect(MailRequest.domain(of: "anna@example.co.uk") == ["example", "co", "uk"])
        #expect(MailRequest.domain(of: "anna@mail.example.com.au") == ["example", "com", "au"])
        #expect(MailRequest.domain(of: "anna@co.jp") == ["co", "jp"])
        #expect(MailRequest.domain(of: "anna@mail.abc.com") == ["abc", "com"])
        #expect(MailRequest.domain(of: "anna@mail.example.de") == ["example", "de"])
        #expect(MailRequest.domain(of: "anna@mail.abc.de") == ["abc", "de"])
        #expect(MailRequest.domain(of: "anna@localhost") == ["localhost"])
    }

    @Test(
        "OPS-07 the oldest due mail is claimed besides those of full domains, and a mail that is put back keeps its place",
        arguments: SQLDialect.allCases)
    func order(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let store = MailStore(dialect: dialect)
            let start = fixture.clock.now
            func run(_ statement: SQLStatement) async throws -> SQLResult {
                try await fixture.fixture.database.run(statement)
            }
            // To these domains, one second after the other.
            let (full, late, early): ([UInt8], [UInt8], [UInt8]) = ([2], [3], [1])
            var mails: [UUID] = []
            for domain in [full, full, late, early] {
                let (id, second) = (UUID(), TimeInterval(mails.count))
                _ = try await run(store.insert(request: [0], to: domain, id: id, now: start.addingTimeInterval(second)))
                mails.append(id)
            }
            func claim(besides domains: [[UInt8]]) async throws -> UUID? {
                let now = start.addingTimeInterval(10)
                let claim = store.claim(now: now, until: now.addingTimeInterval(60), besides: domains)
                return try await claim.run(in: fixture.fixture.database)?.id
            }
            #expect(try await claim(besides: []) == mails[0])
            #expect(try await claim(besides: [full]) == mails[2])
            #expect(try await claim(besides: [full, late]) == mails[3])
            #expect(try await claim(besides: [full]) == nil)
            _ = try await run(store.release(mails[0], claim: 1))
            #expect(try await claim(besides: [late]) == mails[0], "not behind the second one")
            #expect(try await claim(besides: []) == mails[1])
        }
    }

    @Test("OPS-07 a mail that an earlier version stored is sent as well", arguments: SQLDialect.allCases)
    func earlier(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try await fixture.person()
            try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
            _ = try await fixture.run("UPDATE \(fixture.table("outgoing_mail")) SET domain_hash = NULL")
            let store = MailStore(dialect: dialect)
            let now = fixture.clock.now
            let claim = store.claim(now: now, until: now, besides: [[1], [2]])
            #expect(try await claim.run(in: fixture.fixture.database) != nil)
            #expect(try await fixture.delivered().map(\.address) == ["anna@example.org"])
        }
    }
}
