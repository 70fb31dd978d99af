// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import Testing

@Suite("Services that accept a request and do not call back")
struct WebhookSilenceTests {
    private static let start = 1_800_000_000.0
    private static let accepted = ScriptedService.Reply.json(202, #"{"after":1}"#)

    private static func connector(_ service: ScriptedService, _ clock: Guarded<Double>) throws -> WebhookConnector {
        try service.connector(clock: clock) { system in
            system.settings["callback"] = "https://auth.example"
            system.settings["timeout"] = "2"
        }
    }

    @Test("SY-3 a silent service receives the same request again, twice at most; then the erasure parks with the cause")
    func silent() async throws {
        let clock = Guarded(Self.start)
        let service = ScriptedService(replies: [
            .json(200, #"{"left":2}"#), Self.accepted, Self.accepted, Self.accepted, .json(200, #"{"erased":2}"#),
            .json(200, #"{"left":0}"#),
        ])
        let driver = ConnectorDriver("lists", try Self.connector(service, clock), sleep: { _ in }, chance: { 0.5 })
        let request = ConnectorRequest(key: "run/step", names: ["ada"])
        let kept = Guarded<StepProgress?>(nil)
        var parked: FarewellError?
        var rests: [String] = []
        while parked == nil {
            do {
                _ = try await driver.run(request, from: kept.withLock { $0 }) { progress in kept.withLock { $0 = progress } }
                Issue.record("No report came, and the system was done.")
                return
            } catch let rest as SystemRest {
                rests.append(rest.error.message)
                try #require(rests.count < 100)
                #expect(kept.withLock { $0?.rest } == rest.error.message)
                clock.withLock { $0 += rest.seconds(from: $0) }
            } catch let error as FarewellError {
                parked = error
            }
        }
        #expect(parked?.code == "connector.silent" && parked?.family == .yoursToFix)
        #expect(parked?.message.contains("3 times") == true && parked?.message.contains("2 hours") == true)
        #expect(kept.withLock { $0 != nil && $0?.rest == nil }, "a parked erasure announces no callback")
        #expect(rests.first?.hasSuffix("call back by 2027-01-15 10:00 UTC; otherwise it receives the request again.") == true, "\(rests)")
        #expect(rests.last?.hasSuffix("call back by 2027-01-15 14:00 UTC; otherwise the erasure parks.") == true, "\(rests)")
        #expect(clock.withLock { $0 } == Self.start + 3 * 2 * 3_600)
        #expect(service.sent.map(\.type) == ["verify", "erase", "erase", "erase"])
        #expect(Set(service.sent.map { $0.header("idempotency-key") }) == ["run/step"])
        // What was accepted is no failed delivery: a receiver may drop a message whose identifier it has accepted.
        #expect(
            service.sent.dropFirst().compactMap { $0.header("webhook-id") } == ["", "-2", "-3"].map { "msg_run-step_erase\($0)" })
        // Released: another request, as after every refusal.
        let progress = try await driver.run(request, from: kept.withLock { $0 }) { _ in }
        #expect(progress.counts == ["found": 2, "erased": 2])
        #expect(service.sent[4].header("idempotency-key") == "run/step/again/1")
    }

    @Test("a request for a later page is repeated with the service's own cursor, and a report ends the wait at any time")
    func page() async throws {
        let clock = Guarded(Self.start)
        let service = ScriptedService(replies: [.json(200, #"{"erased":100,"cursor":"a/2"}"#), Self.accepted, Self.accepted])
        let connector = try Self.connector(service, clock)
        var request = ConnectorRequest(key: "k", names: ["ada"])
        for _ in 1...3 {
            switch try await connector.erase(request) {
            case .more(_, let cursor), .accepted(let cursor, _): request.cursor = cursor
            case let answer: Issue.record("\(answer)")
            }
            clock.withLock { $0 += 2 * 3_600 }
        }
        #expect(service.sent.map { $0.text.contains(#""cursor":"a/2""#) } == [false, true, true])
        #expect(service.sent[1...2].compactMap { $0.header("webhook-id") } == ["msg_k_erase_a-2", "msg_k_erase-2_a-2"])
        request.news = #"{"erased":5}"#
        #expect(try await connector.erase(request) == .erased(5))
        request.news = #"{"failed":{"code":"open-orders"}}"#
        let refused = request
        await #expect(throws: ConnectorFault.ended("lists", "it says open-orders")) { try await connector.erase(refused) }
        #expect(service.sent.count == 3)
    }

    @Test("a lost answer to a repeated request does not count as a repetition")
    func lostAnswer() async throws {
        let clock = Guarded(Self.start)
        let service = ScriptedService(replies: [Self.accepted, .failure(.late), .failure(.late), .failure(.late), Self.accepted])
        let connector = try Self.connector(service, clock)
        guard case .accepted(let cursor, _) = try await connector.erase(.init(key: "k", names: ["ada"])) else {
            Issue.record("It was not accepted.")
            return
        }
        let request = ConnectorRequest(key: "k", names: ["ada"], cursor: cursor)
        clock.withLock { $0 += 2 * 3_600 }
        for _ in 1...3 { #expect(await fault { _ = try await connector.erase(request) }?.family == .tryAgain) }
        guard case .accepted = try await connector.erase(request) else {
            Issue.record("It was not accepted again.")
            return
        }
        #expect(service.sent.count == 5)
        let identifiers = service.sent.compactMap { $0.header("webhook-id") }
        #expect(identifiers == ["msg_k_erase"] + Array(repeating: "msg_k_erase-2", count: 4), "a lost message stays the same")
    }

    @Test("SY-1 a report that comes after the erasure was parked for want of it counts, and no other request is made")
    func late() async throws {
        let clock = Guarded(Self.start)
        let service = ScriptedService(replies: [
            .json(200, #"{"left":2}"#), Self.accepted, Self.accepted, Self.accepted, .json(200, #"{"left":0}"#),
        ])
        var driver = ConnectorDriver("lists", try Self.connector(service, clock), sleep: { _ in }, chance: { 0.5 })
        let request = ConnectorRequest(key: "run/step", names: ["ada"])
        let kept = Guarded<StepProgress?>(nil)
        var isParked = false
        for _ in 1...100 where !isParked {
            do {
                _ = try await driver.run(request, from: kept.withLock { $0 }) { progress in kept.withLock { $0 = progress } }
            } catch let rest as SystemRest {
                clock.withLock { $0 += rest.seconds(from: $0) }
            } catch let error as FarewellError where error.code == "connector.silent" {
                isParked = true
            }
        }
        #expect(isParked && kept.withLock { $0?.isUnreported == true && $0?.round == nil && $0?.cursor != nil })
        driver.news = { key in key == "run/step" ? #"{"erased":2}"# : nil }
        let progress = try await driver.run(request, from: kept.withLock { $0 }) { _ in }
        #expect(progress.counts == ["found": 2, "erased": 2] && progress.isUnreported == nil && progress.round == nil)
        #expect(service.sent.map(\.type) == ["verify", "erase", "erase", "erase", "verify"])
    }

    @Test(
        "a wait that an earlier release began, or that seems to begin in the future, begins now, and nothing is repeated at once",
        arguments: [#"{"waiting":null}"#, #"{"waiting":null,"repeats":2,"since":9223372036854775807}"#])
    func begunBefore(_ cursor: String) async throws {
        let clock = Guarded(Self.start)
        let service = ScriptedService(replies: [Self.accepted])
        let connector = try Self.connector(service, clock)
        let request = ConnectorRequest(key: "k", names: ["ada"], cursor: cursor)
        guard case .resting(let next, Self.start + 60, _) = try await connector.erase(request) else {
            Issue.record("It does not rest for a minute.")
            return
        }
        clock.withLock { $0 += 2 * 3_600 - 1 }
        guard case .resting(_, Self.start + 7_200, _) = try await connector.erase(.init(key: "k", names: ["ada"], cursor: next)) else {
            Issue.record("It does not rest until the time is over.")
            return
        }
        #expect(service.sent.isEmpty)
    }

    @Test("the setting `timeout` is a number of hours from 1 to 720", arguments: ["0", "721", "1.5", "a day"])
    func strangeTimeout(_ text: String) throws {
        let error = #expect(throws: FarewellError.self) { try ScriptedService().connector { $0.settings["timeout"] = text } }
        #expect(error?.code == "plan.system")
    }
}
