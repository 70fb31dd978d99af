// SPDX-License-Identifier: Apache-2.0

/// The two files that AWS's tools share, `~/.aws/credentials` and `~/.aws/config`, read as botocore reads them.
///
/// https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
struct AWSSharedFiles: Sendable {
    typealias Section = [String: String]

    /// Profiles of the credentials file.
    let credentials: [String: Section]
    /// Profiles of the config file.
    let config: [String: Section]
    /// Sessions of single sign-on.
    let sessions: [String: Section]
    /// The profile that the environment names; `nil` if it names none.
    let named: String?
    /// Where `aws sso login` keeps its tokens; `nil` without a home.
    let ssoCache: String?
    /// Where `aws login` keeps its keys; `nil` without a home.
    let loginCache: String?

    init(_ world: ConnectorWorld) {
        let home = world.variable("HOME")
        func place(_ variable: String, _ usual: String) -> String? {
            let path = world.variable(variable) ?? home.map { "\($0)/.aws/\(usual)" }
            guard let path, path.hasBytePrefix("~/"), let home else { return path }
            return home + path.droppingBytes(1)
        }
        func sections(_ variable: String, _ usual: String) -> [(name: String, values: Section)] {
            place(variable, usual).flatMap(world.read).map { Self.sections(of: String(decoding: $0, as: UTF8.self)) }
                ?? []
        }
        credentials = Dictionary(sections("AWS_SHARED_CREDENTIALS_FILE", "credentials").map { ($0.name, $0.values) }) {
            $1
        }
        var config: [String: Section] = [:]
        var sessions: [String: Section] = [:]
        for (head, values) in sections("AWS_CONFIG_FILE", "config") {
            let words = AWSShellWords.split(head) ?? []
            switch (words.first, words.count) {
            case ("profile", 2): config[words[1]] = values
            case ("sso-session", 2): sessions[words[1]] = values
            // `[profile default]` goes before `[default]`.
            case ("default", 1) where config["default"] == nil: config["default"] = values
            default: break
            }
        }
        self.config = config
        self.sessions = sessions
        named = world.variable("AWS_DEFAULT_PROFILE") ?? world.variable("AWS_PROFILE")
        ssoCache = home.map { $0 + "/.aws/sso/cache" }
        loginCache = place("AWS_LOGIN_CACHE_DIRECTORY", "login/cache")
    }

    /// A profile out of both files, the credentials' first; `nil` if there is none of that name.
    func profile(_ name: String) -> Section? {
        guard config[name] != nil || credentials[name] != nil else { return nil }
        return (config[name] ?? [:]).merging(credentials[name] ?? [:]) { $1 }
    }

    /// As Python's `RawConfigParser` does: a line that is indented more than the one before it continues its value, so
    /// that the lines below `s3 =` are no settings of the profile.
    static func sections(of text: String) -> [(name: String, values: Section)] {
        var sections: [(name: String, values: Section)] = []
        var key: String?
        var level = 0
        for line in text.utf8.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let indent = line.prefix { $0 == 0x20 || $0 == 0x09 }.count
            let content = trimmed(String(decoding: line, as: UTF8.self))
            guard let first = content.utf8.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else {
                continue
            }
            if let key, indent > level, !sections.isEmpty {
                sections[sections.count - 1].values[key, default: ""] += "\n" + content
                continue
            }
            level = indent
            key = nil
            if first == UInt8(ascii: "[") {
                let inside = content.utf8.dropFirst().prefix { $0 != UInt8(ascii: "]") }
                sections.append((trimmed(String(decoding: inside, as: UTF8.self)), [:]))
                continue
            }
            let parts = content.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) {
                $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":")
            }
            guard parts.count == 2, !sections.isEmpty else { continue }
            let name = trimmed(String(decoding: parts[0], as: UTF8.self)).lowercased()
            sections[sections.count - 1].values[name] = trimmed(String(decoding: parts[1], as: UTF8.self))
            key = name
        }
        return sections
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let bytes = text.utf8.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
        return String(decoding: Array(bytes), as: UTF8.self)
    }
}
