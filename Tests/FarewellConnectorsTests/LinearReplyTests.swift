// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import LinearGrowth
import Testing

@Suite("System answers, parsed in linear time", .serialized)
struct LinearReplyTests {
    private func expectLinear(_ name: String, _ work: (String) -> Void) async {
        let faults = await LinearGrowth.faults(of: name, work)
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test("SC-2 JSON, XML and header fields of other systems are read in linear time")
    func replies() async {
        func read(_ body: String) {
            let reply = SystemReply(status: 200, headers: ["content-type": "application/json"], body: Array(body.utf8))
            guard let value = try? reply.json(from: "a") else { return }
            _ = value["status"]?.string == "done"
            _ = value.members?.count
        }
        await expectLinear("names") { read("{\"\($0)\":1}") }
        await expectLinear("values") { read("{\"status\":\"\($0)\"}") }
        await expectLinear("JSON") { read($0) }
        await expectLinear("XML") { _ = try? XMLText.read(Array("<r>\($0)</r>".utf8), from: "a") }
        await expectLinear("names in XML") { _ = try? XMLText.read(Array("<\($0)><b>1</b></\($0)>".utf8), from: "a") }
        await expectLinear("text in XML") { text in
            let root = try? XMLText.read(Array("<r><k>\(text)</k></r>".utf8), from: "a")
            _ = root?["k"]?.text == "b"
            _ = root?["k"]?.text.hasPrefix("b")
        }
        await expectLinear("fields") { text in
            let reply = SystemReply(status: 503, headers: ["retry-after": text, "content-type": text])
            _ = reply.retryAfter(at: 0)
            _ = try? reply.json(from: "a")
        }
    }

    @Test("SC-2 the name of an object is kept byte for byte, however many marks it holds")
    func names() throws {
        let name = "photos/" + String(repeating: "\u{301}\u{327}", count: 250) + ".jpg"
        let json = SystemReply(
            status: 200, headers: ["content-type": "application/json"], body: Array("{\"name\":\"\(name)\"}".utf8))
        let read = try #require(try json.json(from: "a")["name"]?.string)
        #expect(ExactText(read) == ExactText(name))
        let xml = try XMLText.read(Array("<r><Key>\(name)</Key></r>".utf8), from: "a")
        #expect(ExactText(xml["Key"]?.text ?? "") == ExactText(name))
    }
}
