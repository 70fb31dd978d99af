// SPDX-License-Identifier: Apache-2.0

@testable import FarewellServer
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@Suite("Pipelined requests of one connection")
struct RequestTurnsTests {
    private func head(_ path: String) -> HTTPRequestPart {
        .head(HTTPRequest(method: .get, scheme: "http", authority: "a", path: path))
    }

    /// The paths of the requests that were handed on since the last look.
    private func paths(_ channel: EmbeddedChannel) throws -> [String] {
        var paths: [String] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) {
            if case .head(let request) = part { paths.append(request.path ?? "") }
        }
        return paths
    }

    private func answer(_ channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    @Test("SC-2 SRV-06 a request is passed on after its predecessor's answer and after a turn of other connections")
    func turns() throws {
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(handler: RequestTurns(), loop: loop)
        for path in ["/1", "/2", "/3"] {
            try channel.writeInbound(head(path))
            try channel.writeInbound(HTTPRequestPart.end(nil))
        }
        #expect(try paths(channel) == ["/1"])
        try answer(channel)
        loop.run()
        #expect(try paths(channel).isEmpty, "the event loop has not looked at others yet")
        loop.advanceTime(by: .seconds(1))
        #expect(try paths(channel) == ["/2"])
        loop.advanceTime(by: .seconds(1))
        #expect(try paths(channel).isEmpty, "it is not answered yet")
        try answer(channel)
        loop.advanceTime(by: .seconds(1))
        #expect(try paths(channel) == ["/3"])
        try answer(channel)
        try channel.writeInbound(head("/4"))
        #expect(try paths(channel) == ["/4"], "nothing waited before it")
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test("SC-2 a body continues without a pause, and the reason for a closed connection follows the earlier output")
    func body() throws {
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(handler: RequestTurns(), loop: loop)
        try channel.writeInbound(head("/1"))
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "b")))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        var count = 0
        while try channel.readInbound(as: HTTPRequestPart.self) != nil { count += 1 }
        #expect(count == 4)
        try channel.writeInbound(head("/2"))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        struct Broken: Error {}
        channel.pipeline.fireErrorCaught(Broken())
        #expect(throws: Never.self) { try channel.throwIfErrorCaught() }
        try answer(channel)
        loop.advanceTime(by: .seconds(1))
        #expect(throws: Broken.self) { try channel.throwIfErrorCaught() }
        #expect(try paths(channel) == ["/2"])
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
