// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellTesting
import FarewellVerifier
import Testing

@Suite("A team's own services, called by signed messages", .serialized)
struct WebhookTests {
    @Test("Items 46, 48, F10-F16 a webhook: the promises of connectors, with every failure", arguments: WebhookBed.Way.allCases)
    func promises(_ way: WebhookBed.Way) async throws {
        let bed = try WebhookBed(way)
        try await bed.requireEveryRow()
        func judged() async throws -> [Int64] {
            try await bed.peer.control("GET", "/strangers").array?.compactMap(\.integer) ?? []
        }
        let before = try await judged()
        try await ConnectorConformance(bed).run()
        // Every message was also signed anew by the reference of Standard Webhooks, to the same signature: all but the
        // count, the wish and the question that went with another secret.
        let after = try await judged()
        #expect(after[0] - before[0] == 3 && after[1] - before[1] > 3, "\(before) \(after)")
    }

    @Test("P3 a repeated erase message carries the same key and identifier; each question carries a new one")
    func identifiers() async throws {
        let service = ScriptedService(replies: [.failure(.late), .json(200, #"{"erased":1}"#)])
        let connector = try service.connector()
        let request = ConnectorRequest(key: "run/system: lists", names: ["ada"])
        _ = try? await connector.erase(request)
        _ = try await connector.erase(request)
        let sent = service.sent
        #expect(sent.map { $0.header("idempotency-key") } == ["run/system: lists", "run/system: lists"])
        #expect(
            sent[0].header("webhook-id") == "msg_run-system--lists_erase" && sent[1].header("webhook-id") == sent[0].header("webhook-id"))
    }

    @Test("SY-4 doctor asks a webhook about a user who does not exist, by a signed question that changes nothing")
    func unused() async throws {
        let answers = ["0", "null", "2"].map { ScriptedService.Reply.json(200, #"{"left":\#($0)}"#) }
        let service = ScriptedService(replies: answers + [.json(401, "{}"), .failure(.late)])
        let connector = try service.connector()
        #expect(try await connector.prove() == "the service answers a signed question")
        #expect(try await connector.prove() == "the service answers a signed question, but cannot report what is left")
        for code in ["connector.misconfigured", "connector.credentials", "connector.unavailable"] {
            await #expect { _ = try await connector.prove() } throws: { ($0 as? ConnectorFault)?.error.code.rawValue == code }
        }
        #expect(service.sent.map(\.type) == Array(repeating: "verify", count: 5))
        #expect(service.sent.allSatisfy { $0.text.contains("farewell-unused-") && $0.header("webhook-signature") != nil })
    }

    // MARK: Where it goes (SSRF)

    @Test(
        "SSRF: the connector calls no host in a network that is not public, whatever the host's name",
        arguments: [
            "127.0.0.1", "::1", "10.1.2.3", "169.254.169.254", "fe80::1", "224.0.0.1", "::ffff:10.1.2.3", "fd00:ec2::254",
        ])
    func inside(_ address: String) async throws {
        let service = ScriptedService(addresses: [address])
        let connector = try service.connector()
        let request = ConnectorRequest(key: "k", names: ["ada"])
        await #expect { try await connector.erase(request) } throws: { ($0 as? ConnectorFault)?.error.code == "connector.misconfigured" }
        await #expect { try await connector.verify(request) } throws: { ($0 as? ConnectorFault)?.error.code == "connector.misconfigured" }
        #expect(service.sent.isEmpty)
        let allowed = ScriptedService(addresses: [address], replies: [.json(200, #"{"left":0}"#)])
        let named = try allowed.connector { $0.settings["allow"] = "192.0.2.0/24, \(address)" }
        #expect(try await named.verify(request) == .gone)
        #expect(allowed.sent.first?.pin == address)
    }

    @Test("SSRF: a call goes to the checked address, and each call is checked again")
    func rebinding() async throws {
        let service = ScriptedService(addresses: ["8.8.8.8", "127.0.0.1"], replies: [.json(200, #"{"left":0}"#)])
        let connector = try service.connector()
        let request = ConnectorRequest(key: "k", names: ["ada"])
        #expect(try await connector.verify(request) == .gone)
        #expect(service.sent.map(\.pin) == ["8.8.8.8"])
        await #expect(throws: ConnectorFault.self) { try await connector.verify(request) }
        #expect(service.sent.count == 1)
    }

    @Test("SSRF: on the wire a call goes to its pinned address, whatever the name resolves to")
    func pinned() async throws {
        let server = try HostileServer.running.get()
        var call = SystemCall("GET", server.address, "/visits", permission: "")
        call.address = try SystemAddress("http://localhost:\(server.address.port)", system: "it")
        call.pin = "127.0.0.1"
        #expect(try await FaultySending.network.send(call).status == 200)
        // Nothing listens at the second address of this machine.
        call.pin = "127.0.0.2"
        await #expect(throws: SendingFailure.unconnected(.refused)) { try await FaultySending.network.send(call) }
        let found = await ConnectorWorld.address(of: "localhost", 80)
        #expect(found == "127.0.0.1" || found == "::1")
        #expect(await ConnectorWorld.address(of: "nobody.invalid", 80) == nil)
    }

    @Test(
        "SSRF: an address with a name and password, another scheme or plain http refuses the plan",
        arguments: [
            "https://user:pass@hooks.example", "http://hooks.example", "file:///etc/passwd", "gopher://hooks.example", "https://",
            "https://hooks.example/a?b=c", "https://hooks.example/#a", "hooks.example", "https://hooks.example\\@evil.example",
        ])
    func addresses(_ address: String) throws {
        #expect(throws: FarewellError.self) { try ScriptedService().connector { $0.settings["endpoint"] = address } }
    }

    @Test(
        "SSRF: the connector follows no address from a service, neither in a redirect nor as a status page",
        arguments: [
            #"{"status":"https://evil.example/"}"#, #"{"status":"//evil.example"}"#, #"{"status":"/\\evil"}"#, #"{"status":""}"#,
            #"{"status":"status"}"#, #"{"status":5}"#, #"{"status":"/a b"}"#,
        ])
    func elsewhere(_ reply: String) async throws {
        let service = ScriptedService(replies: [.json(202, reply), .json(302, "{}")])
        let connector = try service.connector()
        for code in ["connector.garbled", "connector.misconfigured"] {
            await #expect { try await connector.erase(.init(key: "k", names: ["ada"])) } throws: {
                ($0 as? ConnectorFault)?.error.code.rawValue == code
            }
        }
        #expect(service.sent.count == 2)
    }

    // MARK: Answers

    @Test(
        "F13 a reply that does not name its result in the agreed words counts as no reply",
        arguments: [
            "{}", "[]", "null", #"{"erased":-1}"#, #"{"erased":"1"}"#, #"{"erased":1.5}"#, #"{"erased":null}"#, #"{"erased":1e30}"#,
            #"{"erased":1,"acknowledged":1}"#, #"{"erased":1,"erased":2}"#, #"{"failed":{"code":"ada@example.org"}}"#, #"{"failed":{}}"#,
            #"{"failed":true}"#, #"{"acknowledged":1,"cursor":"c"}"#, #"{"erased":1,"cursor":5}"#, #"{"erased":1,"cursor":""}"#,
            String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
        ])
    func garbled(_ reply: String) async throws {
        let connector = try ScriptedService(replies: [.json(200, reply)]).connector()
        await #expect { try await connector.erase(.init(key: "k", names: ["ada"])) } throws: {
            ($0 as? ConnectorFault)?.error.code == "connector.garbled"
        }
    }

    @Test("a final refusal gives an error with the service's code, and a temporary one is tried again")
    func failed() async throws {
        let request = ConnectorRequest(key: "k", names: ["ada"])
        let refusing = try ScriptedService(replies: [.json(200, #"{"failed":{"code":"open-orders"}}"#)]).connector()
        await #expect(throws: ConnectorFault.refused("lists", "it says open-orders")) { try await refusing.erase(request) }
        let busy = try ScriptedService(replies: [.json(200, #"{"failed":{"code":"busy","again":true}}"#)]).connector()
        await #expect(throws: ConnectorFault.passing("lists", "it says busy")) { try await busy.erase(request) }
    }

    @Test("a service may erase page by page with its own cursor, only announce the work, or not know the result")
    func pages() async throws {
        let service = ScriptedService(replies: [
            .json(200, #"{"erased":100,"cursor":"a/2"}"#), .json(200, #"{"erased":5}"#), .json(200, #"{"left":null}"#),
            .json(200, #"{"acknowledged":1}"#),
        ])
        let connector = try service.connector()
        let request = ConnectorRequest(key: "k", names: ["ada"])
        guard case .more(100, let cursor) = try await connector.erase(request) else {
            Issue.record("There was no cursor.")
            return
        }
        #expect(try await connector.erase(.init(key: "k", names: ["ada"], cursor: cursor)) == .erased(5))
        #expect(service.sent[1].text.contains(#""cursor":"a/2""#))
        #expect(service.sent[1].header("webhook-id") != service.sent[0].header("webhook-id"))
        #expect(try await connector.verify(request) == .cannotTell)
        #expect(try await connector.erase(request) == .acknowledged(1))
    }

    @Test(
        "a service that accepts and then refuses is called again once released, whether it called back or was polled",
        arguments: [true, false])
    func refusedLater(_ isTold: Bool) async throws {
        let accepted = isTold ? #"{"after":1}"# : #"{"after":1,"status":"/status"}"#
        var replies: [ScriptedService.Reply] = [.json(200, #"{"left":2}"#), .json(202, accepted)]
        if !isTold { replies.append(.json(200, #"{"failed":{"code":"open-orders"}}"#)) }
        replies += [.json(200, #"{"erased":2}"#), .json(200, #"{"left":0}"#)]
        let service = ScriptedService(replies: replies)
        let connector = try service.connector { if isTold { $0.settings["callback"] = "https://auth.example" } }
        let news = Guarded<String?>(#"{"failed":{"code":"open-orders"}}"#)
        let kept = Guarded<StepProgress?>(nil)
        var driver = ConnectorDriver("lists", connector, sleep: { _ in }, chance: { 0.5 })
        driver.news = { key in news.withLock { isTold && key == "run/step" ? $0 : nil } }
        driver.forgetNews = { key in #expect(key == "run/step/again/1") }
        let request = ConnectorRequest(key: "run/step", names: ["ada"])
        await #expect(throws: ConnectorFault.ended("lists", "it says open-orders").error) {
            try await driver.run(request, from: nil) { progress in kept.withLock { $0 = progress } }
        }
        let progress = try await driver.run(request, from: kept.withLock { $0 }) { _ in }
        #expect(progress.counts == ["found": 2, "erased": 2])
        let begun = isTold ? ["verify", "erase"] : ["verify", "erase", "status"]
        #expect(service.sent.map(\.type) == begun + ["erase", "verify"])
    }

    @Test("SY-3 a service that has lost its status page is called again once released", arguments: [404, 410, 422])
    func lost(_ status: Int) async throws {
        let service = ScriptedService(replies: [
            .json(200, #"{"left":2}"#), .json(202, #"{"after":1,"status":"/jobs/7"}"#), .json(status, "{}"),
            .json(200, #"{"erased":2}"#), .json(200, #"{"left":0}"#),
        ])
        let kept = Guarded<StepProgress?>(nil)
        let driver = ConnectorDriver("lists", try service.connector(), sleep: { _ in }, chance: { 0.5 })
        let request = ConnectorRequest(key: "run/step", names: ["ada"])
        let error = await fault {
            _ = try await driver.run(request, from: nil) { progress in kept.withLock { $0 = progress } }
        }
        #expect(error?.family == .yoursToFix, "\(String(describing: error))")
        let progress = try await driver.run(request, from: kept.withLock { $0 }) { _ in }
        #expect(progress.counts == ["found": 2, "erased": 2])
        #expect(service.sent.map(\.type) == ["verify", "erase", "status", "erase", "verify"])
        #expect(service.sent[3].header("idempotency-key") == "run/step/again/1")
    }

    @Test("a service that accepts, but offers neither a status page nor a callback, gets an error that says so")
    func nowhere() async throws {
        let connector = try ScriptedService(replies: [.json(202, "{}")]).connector()
        await #expect { try await connector.erase(.init(key: "k", names: ["ada"])) } throws: {
            ($0 as? ConnectorFault)?.error.code == "connector.misconfigured"
        }
    }

    // MARK: Messages of the service

    @Test("the connector accepts a message only if the service signed it, it is fresh, unchanged and not one of Farewell's own")
    func hearing() async throws {
        let service = ScriptedService(replies: [.json(200, #"{"erased":1}"#)])
        let connector = try service.connector()
        let body = Array(#"{"type":"erased","data":{"key":"run/system: lists","erased":3}}"#.utf8)
        let good = ScriptedService.signed(body, by: ScriptedService.secret, at: 1_800_000_000)
        #expect(try connector.hear(good) == SystemNews(key: "run/system: lists", text: #"{"erased":3}"#))
        #expect(try connector.hear(ScriptedService.signed(body, by: ScriptedService.former, at: 1_800_000_299)).key == "run/system: lists")
        var changed = good
        changed.body[changed.body.count - 3] = UInt8(ascii: "9")
        var unsigned = good
        unsigned.headers["webhook-signature"] = nil
        var ofAnother = good
        ofAnother.headers["webhook-id"] = "msg_2"
        var padded = good
        padded.headers["webhook-timestamp"] = "01800000000"
        for bad in [
            changed, unsigned, ofAnother, padded,
            ScriptedService.signed(body, by: "whsec_" + String(repeating: "B", count: 44), at: 1_800_000_000),
            ScriptedService.signed(body, by: ScriptedService.secret, at: 1_799_999_699),
            ScriptedService.signed(body, by: ScriptedService.secret, at: 1_800_000_301),
        ] {
            #expect { try connector.hear(bad) } throws: { ($0 as? FarewellError) == SystemMessage.unsigned }
        }
        // Our own wish, sent back to us: signed well, and not heard.
        _ = try await connector.erase(.init(key: "run/system: lists", names: ["ada"]))
        let own = try #require(service.sent.first)
        let headers = Dictionary(own.headers.map { ($0.name, $0.value) }) { first, _ in first }
        for text in [own.text, #"{"type":"erased"}"#, #"{"type":"erased","data":{"key":"k","erased":-1}}"#, "no JSON"] {
            let message =
                text == own.text
                ? SystemMessage(headers: headers, body: own.body)
                : ScriptedService.signed(Array(text.utf8), by: ScriptedService.secret, at: 1_800_000_000)
            #expect { try connector.hear(message) } throws: { ($0 as? FarewellError)?.code == "erasure.message-malformed" }
        }
    }

    @Test("an invalid secret is a credentials error, and is not shown", arguments: ["", "canary", "whsec_", "whsec_Y2FuYXJ5"])
    func secrets(_ secret: String) async throws {
        let connector = try ScriptedService().connector(secret: secret)
        await #expect { try await connector.verify(.init(key: "k", names: ["ada"])) } throws: { error in
            (error as? ConnectorFault)?.error.code == "connector.credentials" && !"\(error)".contains("canary")
        }
    }
}
