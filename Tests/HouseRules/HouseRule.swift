// SPDX-License-Identifier: Apache-2.0
import Testing

/// One rule of the house, held against every file it speaks of.
///
/// A rule brings a file it must refuse and a file it must accept: a rule that cannot fail is no rule.
struct HouseRule: Sendable, CustomTestStringConvertible {
    let sentence: String
    let refuses: SourceFile
    let accepts: SourceFile
    /// The lines that break the rule, each with what is wrong there.
    let find: @Sendable (SourceFile) -> [Finding]

    struct Finding: Sendable {
        let line: Int
        let what: String
    }

    var testDescription: String { sentence }

    static let all =
        layoutRules + constructRules + moduleRules + availabilityRules + serverRules + testRules + documentRules
}

@Suite("The rules of the house")
struct HouseRuleTests {
    @Test("the whole tree keeps the rule", arguments: HouseRule.all)
    func tree(rule: HouseRule) {
        for file in SourceTree.ofThisPackage.files {
            for finding in rule.find(file) {
                Issue.record("\(file.path):\(finding.line): \(finding.what) (\(rule.sentence))")
            }
        }
    }

    @Test("the rule refuses a file that breaks it", arguments: HouseRule.all)
    func refusal(rule: HouseRule) {
        #expect(!rule.find(rule.refuses).isEmpty)
    }

    @Test("the rule accepts a file that keeps it", arguments: HouseRule.all)
    func acceptance(rule: HouseRule) {
        #expect(rule.find(rule.accepts).isEmpty)
    }

    @Test("the tree is found and belongs to this package")
    func found() {
        let paths = SourceTree.ofThisPackage.files.map(\.path)
        #expect(paths.contains("Package.swift"))
        #expect(paths.contains("Tests/HouseRules/HouseRule.swift"))
        #expect(paths.contains("README.md"))
        #expect(!paths.contains { $0.contains(".build/") || $0.contains(".git/") })
    }
}
