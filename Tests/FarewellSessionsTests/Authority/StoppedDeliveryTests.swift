// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

/// A sender that keeps each mail until its task is cancelled.
private final class WaitingSender: MailSending {
    private let begun: AsyncStream<Void>.Continuation
    let beginnings: AsyncStream<Void>

    init() { (beginnings, begun) = AsyncStream.makeStream() }

    func send(_ mail: Mail) async throws {
        begun.yield()
        await untilCancelled()
        throw CancellationError()
    }
}

/// A sender that stops the server as soon as it has sent a mail.
private final class LastSender: MailSending {
    private let stop: @Sendable () -> Void
    let partners: SilentPartners

    init(_ partners: SilentPartners, stop: @escaping @Sendable () -> Void) { (self.partners, self.stop) = (partners, stop) }

    func send(_ mail: Mail) async throws {
        try await partners.send(mail)
        stop()
    }
}

@Suite("A server that stops while it delivers mails")
struct StoppedDeliveryTests {
    @Test(
        "Item 34: a mail that a server claimed and did not send before it stopped is due at once for the next server",
        arguments: SQLDialect.allCases)
    func claimed(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            for name in ["anna", "berta"] {
                try await fixture.person(name)
                try await fixture.authority.sendCode(.recovery, to: "\(name)@example.org")
            }
            let (authority, sender) = (fixture.authority, WaitingSender())
            let delivery = Task { try await authority.deliverMail(by: sender) }
            var beginnings = sender.beginnings.makeAsyncIterator()
            for _ in 1...2 { await beginnings.next() }
            delivery.cancel()
            _ = await delivery.result
            let sent = try await fixture.delivered()
            #expect(Set(sent.map(\.address)) == ["anna@example.org", "berta@example.org"], "the clock has not moved")
            #expect(try await fixture.count("outgoing_mail") == 0)
        }
    }

    @Test(
        "Item 34: a mail that was sent as the server stopped is not sent again",
        arguments: SQLDialect.allCases)
    func sent(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try await fixture.person()
            try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
            let authority = fixture.authority
            let (stops, stop) = AsyncStream.makeStream(of: Void.self)
            let sender = LastSender(fixture.partners) {
                withUnsafeCurrentTask { $0?.cancel() }
                stop.finish()
            }
            _ = await Task { try await authority.deliverMail(by: sender) }.result
            for await _ in stops {}
            #expect(fixture.partners.sent.count == 1)
            fixture.clock.now += 61
            #expect(try await fixture.delivered().isEmpty)
            #expect(try await fixture.count("outgoing_mail") == 0)
        }
    }
}
