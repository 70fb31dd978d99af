// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import Foundation
import Yams

/// An app's own texts for its pages: a YAML file of languages, each with names and texts.
///
/// ```yaml
/// en:
///   deleteMessage: "Your diary and your photos will be gone for good."
/// de: {deleteMessage: "Dein Tagebuch und deine Fotos sind dann endgültig fort."}
/// ```
enum PageWordsFile {
    /// - Throws: `settings.unreadable`; `settings.wrong` for a language or a name that no page has, and for a text that
    ///   lacks what is put into it, such as `{email}`; each with line and column.
    static func read(_ path: String) throws -> [String: [String: String]] {
        guard let data = FileManager.default.contents(atPath: path), data.count <= 100_000,
            let text = String(data: data, encoding: .utf8)
        else {
            throw FarewellError(
                "settings.unreadable", .yoursToFix, "The file of pages.words cannot be read.",
                remedy: "Name a YAML file of at most 100 KB.")
        }
        return try parse(text, named: URL(fileURLWithPath: path).lastPathComponent)
    }

    /// - Parameter file: How a refusal calls it, before line and column.
    static func parse(_ text: String, named file: String) throws -> [String: [String: String]] {
        if let problem = YAMLText.refused(Array(text.utf8)) { throw wrong(problem, file) }
        let root: Yams.Node?
        do {
            root = try Yams.Parser(yaml: YAMLMarks.divided(text).rest).singleRoot()
        } catch {
            throw wrong(PlanProblem(parsing: text, failedBy: error) ?? PlanProblem("This is not YAML.", at: nil), file)
        }
        guard let languages = root?.mapping else {
            throw wrong(PlanProblem("These are not languages with names and texts.", at: root), file)
        }
        var words: [String: [String: String]] = [:]
        for (language, value) in languages {
            guard let name = language.string, let table = PageWords.tables[name],
                let copy = Copy.all.first(where: { $0.language == name })
            else {
                throw wrong(
                    PlanProblem("The pages do not have this language.", at: language), file,
                    "Known languages: \(PageWords.tables.keys.sorted()).")
            }
            guard let texts = value.mapping else {
                throw wrong(PlanProblem("These are not names with texts.", at: value), file)
            }
            words[name] = try own(texts, in: file) { table[$0] ?? Copy.Key(rawValue: $0).map { copy[$0] } }
        }
        return words
    }

    /// - Parameter original: The default text under a name.
    private static func own(
        _ texts: Yams.Node.Mapping, in file: String, original: (String) -> String?
    ) throws -> [String: String] {
        var words: [String: String] = [:]
        for (key, value) in texts {
            guard let name = key.string, let before = original(name) else {
                throw wrong(
                    PlanProblem("No page has the text \(Shown.name(key.string ?? "?")).", at: key), file,
                    "The names are those of the English texts.")
            }
            // A value that YAML reads as a number, a Boolean or null is no text.
            guard let text = value.any as? String else {
                throw wrong(PlanProblem("\(name) is not a text.", at: value), file)
            }
            guard slots(text) == slots(before) else {
                throw wrong(
                    PlanProblem("\(name) has other variables than the page.", at: value), file,
                    "Use: \(slots(before)).")
            }
            words[name] = text
        }
        return words
    }

    private static func slots(_ text: String) -> [String] {
        Set(text.matches(of: #/\{[a-z]+\}/#).map { String($0.output) }).sorted()
    }

    private static func wrong(
        _ problem: PlanProblem, _ file: String, _ remedy: String = "Write for instance: en: {signIn: \"Log in\"}"
    ) -> FarewellError {
        FarewellError("settings.wrong", .yoursToFix, problem.told(of: file), remedy: remedy)
    }
}
