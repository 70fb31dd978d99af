// SPDX-License-Identifier: Apache-2.0

/// Lets the keys of subjects begin with a hyphen on the command line: `--subject -5`, and keys after `--`.
enum SubjectArguments {
    private static let commands: Set<String> = ["preview", "rehearse", "export", "erase", "verify", "status"]

    /// The arguments with each such key written as `--subject=-5`, which cannot be taken for an option.
    ///
    /// Two hyphens begin an option: where a script's variable is unset, `--subject --yes` stays a mistake.
    static func normalised(_ arguments: [String]) -> [String] {
        guard let command = arguments.first, commands.contains(command) else { return arguments }
        var result: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                return result + rest.map { "--subject=\($0)" }
            }
            guard argument == "--subject", let key = rest.first, isKey(key) else {
                result.append(argument)
                continue
            }
            rest.removeFirst()
            result.append("--subject=\(key)")
        }
        return result
    }

    private static func isKey(_ text: String) -> Bool {
        let bytes = Array(text.utf8.prefix(2))
        return bytes.count == 2 && bytes[0] == UInt8(ascii: "-") && bytes[1] != UInt8(ascii: "-") && text != "-h"
    }
}
