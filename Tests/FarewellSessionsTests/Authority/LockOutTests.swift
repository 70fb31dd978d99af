// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("A stranger's requests lock no user out")
struct LockOutTests {
    private static let home = "203.0.113.7"
    private static let device = "a random secret of Anna's device"

    private func other(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    private func stranger(_ number: Int) -> CallerSource { CallerSource(network: "198.51.100.\(number)") }

    private func refused(
        _ fixture: AuthorityFixture, _ source: CallerSource, _ password: String = "wrong", _ name: String = "anna"
    ) async -> String? {
        await refusal {
            _ = try await fixture.authority.signIn(email: "\(name)@example.org", password: password, source: source)
        }
    }

    /// Anna, who signed up with her device at home.
    @discardableResult
    private func anna(_ fixture: AuthorityFixture) async throws -> SessionGrant {
        let outcome = try await fixture.authority.signUp(
            SignUpRequest(email: "anna@example.org", password: AuthorityFixture.password),
            source: CallerSource(network: Self.home, device: Self.device))
        guard case .session(let grant) = outcome else { throw FarewellError("test.no-session", .ours, "No session.") }
        return grant
    }

    private func sum(_ column: String, _ fixture: AuthorityFixture) async throws -> Int64 {
        try await fixture.run("SELECT coalesce(sum(\(column)), 0) FROM \(fixture.table("one_time_codes"))").scalar?.integer ?? -1
    }

    @Test(
        "SC-3 SRV-03 wrong passwords from one address, or from many, do not affect the owner's device and network",
        arguments: SQLDialect.allCases)
    func passwords(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try await anna(fixture)
            // One source has ten tries, and takes no more than ten of the thirty of all strangers.
            var codes: [String?] = []
            for _ in 0..<40 { codes.append(await refused(fixture, stranger(1))) }
            #expect(codes.count { $0 == "invalid_credentials" } == 10 && codes.last == "over_request_rate_limit")
            #expect(await refused(fixture, CallerSource(network: "192.0.2.50"), AuthorityFixture.password) == nil, "a new network")
            for number in 2...8 { for _ in 0..<12 { _ = await refused(fixture, stranger(number)) } }
            let right = AuthorityFixture.password
            #expect(await refused(fixture, stranger(60), right) == "over_request_rate_limit", "strangers have used theirs up")
            #expect(await refused(fixture, CallerSource(network: Self.home), AuthorityFixture.password) == nil, "the network at home")
            let roaming = CallerSource(network: "198.51.100.1", device: Self.device)
            #expect(await refused(fixture, roaming, AuthorityFixture.password) == nil, "the device in the attacker's own network")
            let forged = CallerSource(network: "198.51.100.60", device: "another random secret of nobody's device")
            #expect(await refused(fixture, forged, AuthorityFixture.password) == "over_request_rate_limit", "an unknown device is none")
            // A known source has as many tries as an unknown one, so that a caller cannot distinguish them.
            codes = []
            for _ in 0..<12 { codes.append(await refused(fixture, CallerSource(network: Self.home))) }
            #expect(codes.count { $0 == "invalid_credentials" } == 10)
            #expect(await refused(fixture, CallerSource(network: Self.home, device: Self.device), AuthorityFixture.password) == nil)
            // An address without an account answers the same.
            codes = []
            for _ in 0..<12 { codes.append(await refused(fixture, stranger(1), "wrong", "nobody")) }
            #expect(codes.count { $0 == "invalid_credentials" } == 10)
        }
    }

    @Test("SC-3 SRV-03 a source is known for 180 days, and until another password is set", arguments: SQLDialect.allCases)
    func forgetting(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.attempts = AttemptLimit(attempts: 2, perSource: 2) }) { fixture in
            let grant = try await anna(fixture)
            func isKnown(_ source: CallerSource) async -> Bool {
                for number in 1...2 { for _ in 0..<3 { _ = await refused(fixture, stranger(number)) } }
                return await refused(fixture, source, AuthorityFixture.password) == nil
            }
            let home = CallerSource(network: Self.home)
            #expect(await isKnown(home))
            let stored = try await fixture.run("SELECT source_hash FROM \(fixture.table("known_sources"))").rows.compactMap {
                $0.first?.bytes
            }
            #expect(stored.count == 2 && stored.allSatisfy { $0.count == 32 }, "hashes, and nothing that can be read")
            #expect(await !isKnown(CallerSource()), "a network without a name belongs to no user")
            fixture.clock.now += KnownSourceStore.life - 1
            #expect(await isKnown(CallerSource(network: Self.home, device: Self.device)))
            fixture.clock.now += KnownSourceStore.life + 301
            #expect(await !isKnown(home))
            try await fixture.authority.prune()
            #expect(try await fixture.count("known_sources") == 0)
            fixture.clock.now += 301
            #expect(await refused(fixture, home, AuthorityFixture.password) == nil)
            let caller = try await fixture.caller(
                try await fixture.authority.signIn(
                    email: "anna@example.org", password: AuthorityFixture.password, source: CallerSource(network: "192.0.2.9")))
            _ = try await fixture.authority.update(caller, UserChange(password: "another password"), source: home)
            #expect(try await fixture.count("known_sources") == 1, "only where the password was changed")
            try await fixture.authority.deleteUser(grant.user.id)
            #expect(try await fixture.count("known_sources") == 0)
        }
    }

    @Test("SC-3 SRV-03 strangers' wrong digits do not invalidate the owner's code, and never its link", arguments: SQLDialect.allCases)
    func codes(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try await anna(fixture)
            func shown(_ proof: CodeProof, _ source: CallerSource) async -> String? {
                await refusal { _ = try await fixture.authority.signIn(.recovery, by: proof, source: source) }
            }
            func asked(_ source: CallerSource) async throws -> Mail {
                fixture.clock.now += 601
                try await fixture.authority.sendCode(.recovery, to: "anna@example.org", source: source)
                return try #require(try await fixture.delivered().first)
            }
            for asker in [CallerSource(network: Self.home), CallerSource(network: "192.0.2.77")] {
                let mail = try await asked(asker)
                for number in 1...6 {
                    for _ in 0..<3 { _ = await shown(.code(other(mail.code), email: mail.address), stranger(number)) }
                }
                #expect(try await [sum("foreign_attempts", fixture), sum("attempts", fixture)] == [3, 0])
                #expect(await shown(.code(mail.code, email: mail.address), stranger(9)) == "otp_expired", "no longer for strangers")
                for _ in 0..<4 { #expect(await shown(.code(other(mail.code), email: mail.address), asker) == "otp_expired") }
                #expect(await shown(.code(mail.code, email: mail.address), asker) == nil, "who asked has five tries of their own")
            }
            // Asked for elsewhere, and typed at home; and the same browser in another network.
            let elsewhere = try await asked(CallerSource(network: "192.0.2.78"))
            for _ in 0..<4 { _ = await shown(.code(other(elsewhere.code), email: elsewhere.address), stranger(1)) }
            #expect(await shown(.code(elsewhere.code, email: elsewhere.address), CallerSource(network: Self.home)) == nil)
            let browser = "a browser that never signed in here"
            let moved = try await asked(CallerSource(network: "192.0.2.79", device: browser))
            for _ in 0..<4 { _ = await shown(.code(other(moved.code), email: moved.address), stranger(1)) }
            #expect(await shown(.code(moved.code, email: moved.address), CallerSource(network: "192.0.2.80", device: browser)) == nil)
            // The link is valid when no digits are.
            let last = try await asked(CallerSource(network: "192.0.2.81"))
            for number in [1, 2, 81] {
                for _ in 0..<6 {
                    _ = await shown(.code(other(last.code), email: last.address), CallerSource(network: "192.0.2.\(number)"))
                }
            }
            #expect(await shown(.code(last.code, email: last.address), CallerSource(network: "192.0.2.81")) == "otp_expired")
            #expect(await shown(.token(last.token), CallerSource(network: "192.0.2.200")) == nil)
            #expect(await shown(.token(last.token), CallerSource(network: "192.0.2.200")) == "otp_expired", "once")
        }
    }

    @Test(
        "SC-3 SRV-03 strangers' requests for codes neither replace the owner's code nor use up their mails", arguments: SQLDialect.allCases)
    func mails(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try await anna(fixture)
            func ask(_ source: CallerSource, _ name: String = "anna") async -> String? {
                await refusal { try await fixture.authority.sendCode(.recovery, to: "\(name)@example.org", source: source) }
            }
            let home = CallerSource(network: Self.home)
            #expect(await ask(home) == nil)
            let mine = try #require(try await fixture.delivered().first)
            fixture.clock.now += 61
            let codes = await [ask(stranger(1)), ask(stranger(2)), ask(stranger(3)), ask(stranger(4))]
            #expect(codes == [nil, nil, nil, "over_email_send_rate_limit"])
            #expect(await ask(home) == nil, "the owner's requests are counted apart")
            let links = try await fixture.delivered().map(\.token)
            #expect(links.count == 4)
            _ = try await fixture.authority.signIn(.recovery, by: .code(mine.code, email: mine.address), source: home)
            #expect(try await fixture.count("one_time_codes") == 0, "the other codes went with it")
            // A refusal because of strangers means that a valid link is in the mailbox, unless one of them was just used.
            fixture.clock.now += 541
            for _ in 0..<60 {
                fixture.clock.now += 59
                for number in 1...3 { _ = await ask(stranger(number)) }
                let isRefused = await ask(CallerSource(network: "192.0.2.200")) != nil
                let mails = try await fixture.delivered()
                let good =
                    try await fixture.run(
                        "SELECT count(*) FROM \(fixture.table("one_time_codes")) WHERE sent_at > $1",
                        .timestamp(fixture.clock.now - MailRequest.life)
                    ).scalar?.integer ?? 0
                #expect(!isRefused || good > 0, "\(mails.count)")
            }
            #expect(await [ask(stranger(1), "nobody"), ask(stranger(1), "nobody")] == [nil, "over_email_send_rate_limit"])
        }
    }

    @Test(
        "SC-3 SRV-03 for a day strangers try everything: the owner always gets in, and few guesses are checked",
        arguments: SQLDialect.allCases)
    func day(dialect: SQLDialect) async throws {
        let limit = AttemptLimit(attempts: 6, perSource: 2, window: .seconds(300))
        try await AuthorityFixture.with(dialect, { $0.attempts = limit }) { fixture in
            try await anna(fixture)
            _ = fixture.work.taken()
            let home = CallerSource(network: Self.home)
            var (owners, guesses, digits, latest) = (0, Int64(0), 0, [Mail]())
            for window in 0..<287 {
                fixture.clock.now += 301
                for number in 1...4 {
                    for _ in 0..<3 { _ = await refused(fixture, stranger(number)) }
                    _ = await refusal {
                        try await fixture.authority.sendCode(.recovery, to: "anna@example.org", source: stranger(number))
                    }
                }
                let mails = try await fixture.delivered()
                digits += mails.count { !$0.code.isEmpty }
                latest = mails + latest.prefix(2)
                for mail in latest where !mail.code.isEmpty {
                    for number in 1...4 {
                        _ = await refusal {
                            _ = try await fixture.authority.signIn(
                                .recovery, by: .code(other(mail.code), email: mail.address), source: stranger(number))
                        }
                    }
                }
                switch window % 36 {
                case 9:
                    #expect(await refused(fixture, home, AuthorityFixture.password) == nil, "the network at home, \(window)")
                    owners += 1
                case 18:
                    let device = CallerSource(network: "203.0.113.99", device: Self.device)
                    #expect(await refused(fixture, device, AuthorityFixture.password) == nil, "the device, \(window)")
                    owners += 1
                case 27:
                    try await fixture.authority.sendCode(.recovery, to: "anna@example.org", source: home)
                    let mine = try #require(try await fixture.delivered().first)
                    for number in 1...4 {
                        _ = await refusal {
                            _ = try await fixture.authority.signIn(
                                .recovery, by: .code(other(mine.code), email: mine.address), source: stranger(number))
                        }
                    }
                    guesses += try await sum("attempts + foreign_attempts", fixture)
                    _ = try await fixture.authority.signIn(.recovery, by: .code(mine.code, email: mine.address), source: home)
                case 35:
                    guesses += try await sum("attempts + foreign_attempts", fixture)
                    // From an unknown network: a request may be refused, yet a link is in the mailbox.
                    let fresh = CallerSource(network: "192.0.2.\(window % 250)")
                    _ = await refusal { try await fixture.authority.sendCode(.recovery, to: "anna@example.org", source: fresh) }
                    let link = try #require((try await fixture.delivered() + latest).first)
                    _ = try await fixture.authority.signIn(.recovery, by: .token(link.token), source: fresh)
                    latest = []
                default: break
                }
            }
            guesses += try await sum("attempts + foreign_attempts", fixture)
            let checked = (fixture.work.taken()["scrypt"] ?? 0) - owners
            #expect(checked <= 6 * 287 && checked > 1000, "\(checked) passwords")
            // Each code with digits is tried by its requester and three times by strangers; 24 of strangers and 8 of the owner's: below 3
            // in 10,000 a day.
            #expect(digits <= 24 && guesses <= Int64((24 + 8) * 8) && guesses > 20, "\(guesses) guesses at \(digits) codes")
        }
    }

    @Test("SC-3 SRV-03 strangers' requests do not prevent a user's change to an address", arguments: SQLDialect.allCases)
    func wantedAddress(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.emailConfirmation = .required }) { fixture in
            let mine = try await fixture.caller(try await confirmed(fixture))
            for number in 0..<40 {
                _ = await refusal {
                    try await fixture.authority.sendCode(.emailChange, to: "new@example.org", source: stranger(number))
                }
            }
            #expect(try await fixture.delivered().isEmpty, "no user waits for that address")
            _ = try await fixture.authority.update(
                mine, UserChange(email: "new@example.org"), source: CallerSource(network: Self.home))
            let mails = try await fixture.delivered().filter { $0.purpose == .emailChange }
            #expect(mails.count == 1 && mails.first?.code.isEmpty == false, "the mail comes, with its digits")
        }
    }

    /// Anna, whose address is confirmed.
    private func confirmed(_ fixture: AuthorityFixture) async throws -> SessionGrant {
        _ = try await fixture.authority.signUp(
            SignUpRequest(email: "anna@example.org", password: AuthorityFixture.password), source: CallerSource(network: Self.home))
        let code = try #require(try await fixture.delivered().first).code
        return try await fixture.authority.signIn(
            .signUp, by: .code(code, email: "anna@example.org"), source: CallerSource(network: Self.home))
    }

    @Test("SC-3 SRV-03 a stolen session uses up neither its owner's password attempts nor their code", arguments: SQLDialect.allCases)
    func sessions(dialect: SQLDialect) async throws {
        let rule: @Sendable (inout AuthoritySettings) -> Void = { $0.passwordChange = .withCode(after: .seconds(60)) }
        try await AuthorityFixture.with(dialect, rule) { fixture in
            let mine = try await fixture.caller(try await anna(fixture))
            let stolen = try await fixture.caller(try await fixture.signIn())
            fixture.clock.now += 61
            func change(_ caller: Caller, _ change: UserChange) async -> String? {
                await refusal { _ = try await fixture.authority.update(caller, change) }
            }
            for _ in 0..<12 { _ = await change(stolen, UserChange(password: "a new password", currentPassword: "wrong")) }
            #expect(await change(stolen, UserChange(password: "a new password", currentPassword: "wrong")) == "over_request_rate_limit")
            try await fixture.authority.reauthenticate(stolen)
            try await fixture.authority.reauthenticate(mine)
            let mails = try await fixture.delivered()
            #expect(mails.count == 2)
            for _ in 0..<8 { _ = await change(stolen, UserChange(password: "a new password", nonce: "123")) }
            var isMine: [String?] = []
            for mail in mails {
                isMine.append(await change(mine, UserChange(metadata: [:])))
                let code = await change(mine, UserChange(password: "a password by \(mail.code)", nonce: mail.code))
                isMine.append(code)
            }
            #expect(isMine.filter { $0 == "reauthentication_not_valid" }.count == 1, "the code of one's own session counts: \(isMine)")
            try await fixture.authority.reauthenticate(
                try await fixture.caller(
                    try await fixture.authority.signIn(
                        .recovery, by: .token(try await recovered(fixture)))))
            let link = try #require(try await fixture.delivered().first)
            #expect(await change(mine, UserChange(password: "by the long code", nonce: link.token)) == nil)
        }
    }

    private func recovered(_ fixture: AuthorityFixture) async throws -> String {
        try await fixture.authority.sendCode(.recovery, to: "anna@example.org", source: CallerSource(network: Self.home))
        return try #require(try await fixture.delivered().first).token
    }
}
