// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import Foundation

/// The names of subjects, each once: from options, a file, or standard input.
struct NameList {
    /// The kind of a list.
    enum Kind: String {
        /// The keys of the subjects to be erased.
        case subjects
        /// Other identifiers of the subject for a search.
        case identifiers

        fileprivate var option: String { self == .subjects ? "--subject" : "--identifier" }
    }

    let names: [String]
    /// The whole lines of the file that begin with #.
    let comments: [Line]
    /// The lines of the file with a name.
    private let entries: [Line]

    struct Line: Sendable, Hashable {
        let number: Int
        let text: String
    }

    private static let limit = 64 << 20

    init(_ kind: Kind, named: [String], file: String?) throws {
        let lines = try file.map { try Self.lines(of: $0, kind) } ?? []
        comments = lines.enumerated().filter { Self.isComment($1) }.map { Line(number: $0 + 1, text: $1) }
        entries = try Self.entries(in: lines, kind)
        let names = named + entries.map(\.text)
        // A subject named twice is one subject.
        var seen: Set<ExactText> = []
        self.names = names.filter { seen.insert(ExactText($0)).inserted }
        guard !self.names.contains(where: \.isEmpty) else {
            throw misuse(
                "command.list-blank", "\(kind.option) is empty.",
                remedy: "Give a value; a variable of your script may be unset.")
        }
        guard file == nil || !self.names.isEmpty else {
            throw misuse(
                "command.list-empty", "The list of \(kind) is empty.",
                remedy: "Write one per line; # starts a comment.")
        }
    }

    /// The bytes of the file, or of standard input; empty without input.
    private static func content(of path: String, _ kind: Kind) throws -> Data {
        do {
            guard path == "-" else {
                return Data(try OrdinaryFile.read(path, limit: limit + 1, allowsOpenPipes: true))
            }
            return try FileHandle.standardInput.read(upToCount: limit + 1) ?? Data()
        } catch OrdinaryFile.Refusal.missing {
            throw unreadable(kind, "there is no file at \(Terminal.printable(path))")
        } catch OrdinaryFile.Refusal.notOrdinary {
            throw unreadable(kind, "\(Terminal.printable(path)) is not an ordinary file")
        } catch {
            throw unreadable(kind, path == "-" ? "standard input failed" : "reading \(Terminal.printable(path)) failed")
        }
    }

    private static func unreadable(_ kind: Kind, _ why: String) -> FarewellError {
        misuse(
            "command.list-unreadable", "The list of \(kind) cannot be read: \(why).",
            remedy: "Give an ordinary text file in UTF-8 of at most 64 MiB, one per line, or - for standard input.")
    }

    private static func lines(of path: String, _ kind: Kind) throws -> [String] {
        let data = try content(of: path, kind)
        guard data.count <= limit else { throw unreadable(kind, "it is longer than 64 MiB") }
        guard String(validating: data, as: UTF8.self) != nil else { throw unreadable(kind, "it is not text in UTF-8") }
        // Editors on Windows begin a text with a byte-order mark.
        let mark = data.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return data.dropFirst(mark).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self) }
    }

    private static func isComment(_ line: String) -> Bool { line.utf8.first == UInt8(ascii: "#") }

    private static func entries(in lines: [String], _ kind: Kind) throws -> [Line] {
        let named = lines.enumerated().filter { !$1.allSatisfy(\.isWhitespace) && !isComment($1) }
        return try named.map { number, line in
            // `x` and ` x` may be two subjects: the command must not choose.
            guard line.first?.isWhitespace == false, line.last?.isWhitespace == false else {
                throw misuse(
                    "command.list-blank", "Line \(number + 1) of the list of \(kind) begins or ends with a space.",
                    remedy: "Remove the space; a value that needs one is given with \(kind.option).")
            }
            return Line(number: number + 1, text: line)
        }
    }
}

extension NameList {
    /// Requires that no comment is the key of a subject, which would silently be left out.
    ///
    /// - Parameter looking: An engine that only reads.
    /// - Throws: `command.list-comment`.
    func requireNoKeyAmongComments(_ looking: () async throws -> ErasureEngine) async throws {
        guard !comments.isEmpty else { return }
        guard let place = try await looking().firstKey(among: comments.map(\.text)) else { return }
        throw misuse(
            "command.list-comment",
            "Line \(comments[place].number) of the list of subjects is a comment, because it begins with #, and it is "
                + "also the key of a subject. Nothing was done.",
            remedy: "Give this key with --subject. If the line is a comment, write other words into it.")
    }

    /// Does work for the subjects. If the work refuses a key of the file, the error names the key's line.
    ///
    /// - Parameter looking: An engine that only reads.
    /// - Throws: The errors of the work.
    func locatingRefusedKeys<Value>(
        _ looking: () async throws -> ErasureEngine, _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch let error as FarewellError where ["subject.malformed", "subject.stands-in"].contains(error.code) {
            guard !entries.isEmpty, let engine = try? await looking(),
                let line = entries.first(where: { (try? engine.subjectHash(of: $0.text)) == nil })
            else { throw error }
            throw FarewellError(
                error.code, error.family, "Line \(line.number) of the list of subjects: \(error.message)",
                remedy: error.remedy)
        }
    }
}
