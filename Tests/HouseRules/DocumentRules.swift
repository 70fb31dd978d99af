// SPDX-License-Identifier: Apache-2.0

/// Rules about what people read first.
let documentRules: [HouseRule] = [readmeLength, livingLinks]

private let longestReadme = 150

private let readmeLength = HouseRule(
    sentence: "the README has at most 150 lines",
    refuses: SourceFile("README.md", String(repeating: "\n", count: longestReadme + 1)),
    accepts: SourceFile("README.md", String(repeating: "\n", count: longestReadme))
) { file in
    guard file.path == "README.md", file.lines.count > longestReadme + 1 else { return [] }
    return [.init(line: longestReadme + 1, what: "\(file.lines.count) lines")]
}

private let livingLinks = HouseRule(
    sentence: "a link between documents leads somewhere",
    refuses: SourceFile("docs/a.md", "[gone](no-such-file.md)"),
    accepts: SourceFile("docs/a.md", "[here](../README.md#quick-start), [there](https://www.swift.org)")
) { file in
    guard file.path.hasSuffix(".md"), !file.path.contains(".docc/") else { return [] }
    let tree = SourceTree.ofThisPackage
    let folder = file.path.split(separator: "/").dropLast()
    return file.lines.enumerated().flatMap { index, line in
        links(in: line).filter { !tree.exists(resolved($0, from: folder)) }
            .map { HouseRule.Finding(line: index + 1, what: "`\($0)` does not exist") }
    }
}

/// The targets of the relative links in a line of Markdown, without their fragments.
private func links(in line: Substring) -> [Substring] {
    line.split(separator: "](", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
        let target = rest.prefix { $0 != ")" && $0 != "#" && $0 != " " }
        return target.isEmpty || target.contains(":") ? nil : target
    }
}

/// A relative path seen from a folder, with `..` and `.` worked out.
private func resolved(_ link: Substring, from folder: ArraySlice<Substring>) -> String {
    var parts = Array(folder)
    for part in link.split(separator: "/") where part != "." {
        if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
}
