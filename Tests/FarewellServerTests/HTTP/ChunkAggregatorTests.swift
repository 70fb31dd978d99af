// SPDX-License-Identifier: Apache-2.0

@testable import FarewellServer
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@Suite("Bodies in tiny chunks")
struct ChunkAggregatorTests {
    private static let head = HTTPRequestPart.head(HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/"))

    private func chunk(_ text: String) -> HTTPRequestPart { .body(ByteBuffer(string: text)) }

    /// The parts that were handed on since the last look: the text of a body's, and a word for every other.
    private func parts(_ channel: EmbeddedChannel) throws -> [String] {
        var parts: [String] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) {
            switch part {
            case .head: parts.append("head")
            case .body(let bytes): parts.append(String(buffer: bytes))
            case .end: parts.append("end")
            }
        }
        return parts
    }

    @Test("SC-2 SRV-06 the chunks of one read form one part, in order, and nothing is held back after the read")
    func gathered() throws {
        let channel = EmbeddedChannel(handler: ChunkAggregator())
        channel.pipeline.fireChannelRead(Self.head)
        for _ in 0..<1_000 { channel.pipeline.fireChannelRead(chunk("x")) }
        #expect(try parts(channel) == ["head"])
        channel.pipeline.fireChannelReadComplete()
        #expect(try parts(channel) == [String(repeating: "x", count: 1_000)])
        for text in ["a", "b"] { channel.pipeline.fireChannelRead(chunk(text)) }
        channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
        channel.pipeline.fireChannelRead(Self.head)
        channel.pipeline.fireChannelRead(chunk("c"))
        #expect(try parts(channel) == ["ab", "end", "head"], "the next request's body is another one")
        channel.pipeline.fireChannelReadComplete()
        #expect(try parts(channel) == ["c"])
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test("SC-2 SRV-06 a body of more than a thousand chunks of a few bytes is refused, and nothing after it is passed on")
    func refused() throws {
        for (count, text) in [(1_024, "x"), (5_000, String(repeating: "x", count: 16))] {
            let channel = EmbeddedChannel(handler: ChunkAggregator())
            for body in 1...2 {
                channel.pipeline.fireChannelRead(Self.head)
                for _ in 0..<count { channel.pipeline.fireChannelRead(chunk(text)) }
                channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
                #expect(try parts(channel) == ["head", String(repeating: text, count: count), "end"], "body \(body)")
            }
            try channel.throwIfErrorCaught()
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
        let channel = EmbeddedChannel(handler: ChunkAggregator())
        channel.pipeline.fireChannelRead(Self.head)
        for _ in 0..<1_025 { channel.pipeline.fireChannelRead(chunk("x")) }
        channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
        channel.pipeline.fireChannelRead(Self.head)
        #expect(try parts(channel) == ["head"])
        #expect(throws: (any Error).self) { try channel.throwIfErrorCaught() }
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test("chunks before a broken chunk, or before the caller's end, are passed on first")
    func broken() throws {
        struct Broken: Error {}
        let channel = EmbeddedChannel(handler: ChunkAggregator())
        channel.pipeline.fireChannelRead(chunk("a"))
        channel.pipeline.fireErrorCaught(Broken())
        #expect(try parts(channel) == ["a"])
        #expect(throws: Broken.self) { try channel.throwIfErrorCaught() }
        channel.pipeline.fireChannelRead(chunk("b"))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(try parts(channel) == ["b"])
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
