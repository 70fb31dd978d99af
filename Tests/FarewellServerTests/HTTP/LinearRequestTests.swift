// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import LinearGrowth
import NIOCore
import Testing

@Suite("Requests, parsed in linear time", .serialized)
struct LinearRequestTests {
    private func expectLinear(_ name: String, _ work: (String) -> Void) async {
        let faults = await LinearGrowth.faults(of: name, work)
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test("SC-2 SRV-02 bodies of JSON and forms are read in linear time")
    func bodies() async {
        await expectLinear("names") { _ = try? JSONMembers(Array("{\"\($0)\":1}".utf8), depth: 32) }
        await expectLinear("values") { text in
            let body = try? JSONMembers(Array("{\"scope\":\"\(text)\",\"data\":{\"a\":\"\(text)\"}}".utf8), depth: 32)
            _ = (try? body?.text("scope")) == "local"
            _ = try? body?.object("data")
        }
        await expectLinear("names of a form") { _ = FormFields("\($0)=1".utf8)["form"] }
        await expectLinear("values of a form") { text in
            let form = FormFields("form=\(text)&code=\(text)".utf8)
            _ = form["form"] == "a"
            _ = form["code"].filter(\.isNumber)
        }
        await expectLinear("a form") { _ = FormFields($0.utf8)["form"] }
    }

    private func request(_ target: String, _ value: String) -> Request {
        var fields = HTTPFields()
        for name in [HTTPField.Name.cookie, .origin, .apiVersion, .prefer, .deviceName, .languages, .expect] {
            fields[name] = value
        }
        let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: target, headerFields: fields)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("SC-2 SRV-02 header fields, cookies and queries are read in linear time")
    func heads() async {
        let origins = CrossOrigin(origins: ["https://app.example"])
        let library = PageLibrary(PageSettings())
        func read(_ request: Request) {
            let request = request.screened
            _ = PageCookies(request.headers, isSecure: false)[.session]
            _ = ErrorAnswer.Shape(request.headers)
            _ = origins.fields(for: request.headers[.origin])
            _ = library.words(for: request.headers)
            _ = request.headers[.cookie]?.lastIndex(of: "@")
        }
        await expectLinear("fields") { read(request("/", $0)) }
        await expectLinear("a target") { text in
            let request = request("/?scope=\(text)&\(text)=1", "a")
            guard request.isStreamSafe else { return }
            _ = RouteRunner.query(request.uri.query ?? "")["scope"] == "local"
        }
        await expectLinear("a path") { text in
            let request = request("/v1/erasures/\(text)", "a")
            guard request.isStreamSafe else { return }
            _ = request.hasPlainPath && UUID(text: text) == nil
        }
    }

    @Test("SC-2 a request loses the forbidden fields, and keeps the others")
    func screened() {
        let marks = "a" + String(repeating: "\u{301}", count: 31)
        #expect(request("/a?b=c%C3%A9%CC%81", "Zo\u{eb}'s iPhone e\u{301}").isStreamSafe)
        #expect(!request("/", marks).isStreamSafe)
        #expect(!request("/?a=" + String(repeating: "%CC%81", count: 31), "a").isStreamSafe)
        #expect(!request("/?" + String(repeating: "%CC%81", count: 31) + "=a", "a").isStreamSafe)
        var fields: HTTPFields = [.contentLength: "7", .origin: "https://a"]
        fields[.deviceName] = marks
        let head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/", headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer())).screened
        #expect(request.headers[.deviceName] == nil && request.headers[.contentLength] == "7")
        #expect(request.headers[.origin] == "https://a" && request.method == .post)
    }

    @Test("SC-2 files of settings, words and webhooks are read in linear time")
    func files() async {
        await expectLinear("words") { _ = try? PageWordsFile.parse("en:\n  \"\($0)\": \"\($0)\"\n", named: "w") }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("linear-\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        await expectLinear("settings") { text in
            try? Data("http:\n  \"\(text)\": 1\n".utf8).write(to: file)
            _ = try? ServeSettings.read(path: file.path, environment: [:])
        }
        await expectLinear("webhooks") { text in
            try? Data("endpoints:\n  - {\"\(text)\": 1}\n".utf8).write(to: file)
            _ = try? WebhookFile.read(file.path)
        }
    }
}
