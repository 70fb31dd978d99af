// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Speaks as PostgreSQL does, takes every statement, and complains twice at the end of each pipeline.
final class ComplainingServer: Sendable {
    var port: UInt16 { listening.port }
    private let listening: SilentServer

    /// - Parameter fields: What it complains of: pieces that each begin with the field's letter.
    init(_ fields: [String] = ["CXX000", "Mcomplaint"]) throws {
        listening = try SilentServer()
        let socket = listening.socket
        let text = (["SERROR", "VERROR"] + fields).map { $0 + "\0" }.joined() + "\0"
        let complaint = Self.message("E", Array(text.utf8))
        Thread.detachNewThread {
            while true {
                let client = accept(socket, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { Self.serve(client, complaint) }
            }
        }
    }

    // Wakes the thread that accepts.
    deinit { shutdown(listening.socket, Int32(SHUT_RDWR)) }

    private static func serve(_ client: Int32, _ complaint: [UInt8]) {
        defer { close(client) }
        guard greet(client) else { return }
        let settings = ["server_version\0" + "17.0\0", "client_encoding\0UTF8\0", "integer_datetimes\0on\0"]
        guard say([message("R", [0, 0, 0, 0])] + settings.map { message("S", Array($0.utf8)) } + [ready], client) else {
            return
        }
        while let kind = read(1, client)?.first.map({ Character(UnicodeScalar($0)) }), body(client) != nil {
            let isHeard =
                switch kind {
                case "P": say([message("1")], client)
                case "B": say([message("2")], client)
                case "D": say([message("n")], client)
                case "E": say([message("C", Array("SELECT 0\0".utf8))], client)
                case "S": say([complaint, complaint, ready], client)
                default: kind != "X"
                }
            guard isHeard else { return }
        }
    }

    /// The client's first word; to the questions before it, whether to encrypt, the answer is no.
    private static func greet(_ client: Int32) -> Bool {
        while let first = body(client) {
            guard first.count == 4 else { return true }
            guard say([[UInt8(ascii: "N")]], client) else { return false }
        }
        return false
    }

    private static let ready = message("Z", Array("I".utf8))

    private static func message(_ kind: Character, _ body: [UInt8] = []) -> [UInt8] {
        Array(String(kind).utf8) + withUnsafeBytes(of: UInt32(body.count + 4).bigEndian) { Array($0) } + body
    }

    /// The rest of a message, after the letter that says what it is.
    private static func body(_ client: Int32) -> [UInt8]? {
        guard let length = read(4, client)?.reduce(0, { $0 << 8 | Int($1) }), (4...1_000_000).contains(length) else {
            return nil
        }
        return read(length - 4, client)
    }

    private static func read(_ count: Int, _ client: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var buffer = [UInt8](repeating: 0, count: count - bytes.count)
            let more = recv(client, &buffer, buffer.count, 0)
            guard more > 0 else { return nil }
            bytes += buffer.prefix(more)
        }
        return bytes
    }

    private static func say(_ messages: [[UInt8]], _ client: Int32) -> Bool {
        let bytes = messages.flatMap(\.self)
        return send(client, bytes, bytes.count, noSignal) == bytes.count
    }

    #if os(Linux)
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
    private static let noSignal: Int32 = 0
    #endif
}
