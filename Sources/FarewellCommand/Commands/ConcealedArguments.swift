// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Parts of the arguments that the command's messages must not repeat: an address of a database may hold a password,
/// and may be any argument if its option was forgotten or mistyped.
struct ConcealedArguments {
    /// The texts, and the text that is shown instead of each.
    private let texts: [(secret: String, shown: String)]
    /// A message may show only the beginning of an argument; a shorter one is no such address.
    private static let least = 24

    /// - Parameter isParsing: Whether the message is the parser's, which repeats arguments that it does not understand:
    ///   then every address is concealed, and otherwise only those that may hold credentials.
    init(_ arguments: [String], isParsing: Bool) {
        texts = arguments.compactMap { argument in
            let isCredential = argument.contains("@") || argument.contains("password=")
            if let mark = argument.firstRange(of: "://") {
                guard isParsing || isCredential, mark.upperBound < argument.endIndex else { return nil }
                return ("://" + argument[mark.upperBound...], "://…")
            }
            // The key words of libpq, and an address with a slip in its scheme.
            let isPerhaps = argument.contains("password=") || argument.contains(":") && argument.contains("@")
            return isParsing && isPerhaps ? (argument, "…") : nil
        }
    }

    /// The text without them.
    func concealed(_ text: String) -> String {
        var result = text
        for (secret, shown) in texts.sorted(by: { $0.secret.utf8.count > $1.secret.utf8.count }) {
            result = result.replacing(secret, with: shown)
            guard secret.count > Self.least else { continue }
            let start = secret.prefix(Self.least)
            while let found = result.firstRange(of: start) {
                let common = zip(result[found.lowerBound...], secret).prefix { $0 == $1 }.count
                let end = result.index(found.lowerBound, offsetBy: common)
                result.replaceSubrange(found.lowerBound..<end, with: shown)
            }
        }
        return result
    }
}
