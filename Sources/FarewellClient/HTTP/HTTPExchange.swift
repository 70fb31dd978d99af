// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// The two halves of an exchange over HTTP.
public enum HTTPExchange {
    /// A request. Its description shows neither its fields nor its body.
    public struct Request: Sendable, CustomStringConvertible, CustomReflectable {
        public var method: String
        public var url: URL
        public var fields: [String: String]
        public var body: Data?

        public init(_ method: String, _ url: URL, fields: [String: String] = [:], body: Data? = nil) {
            self.method = method
            self.url = url
            self.fields = fields
            self.body = body
        }

        public var description: String { "\(method) \(url.path)" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// An answer. Its description shows its status alone.
    public struct Answer: Sendable, CustomStringConvertible, CustomReflectable {
        public let status: Int
        /// By lower-case name.
        public let fields: [String: String]
        public let body: Data

        public init(status: Int, fields: [String: String] = [:], body: Data = Data()) {
            self.status = status
            self.fields = Dictionary(fields.map { ($0.streamSafe.lowercased(), $1.streamSafe) }) { _, last in last }
            self.body = body
        }

        public var description: String { "HTTP \(status)" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
