// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The forms in which `farewell check` writes what it found.
enum FindingsFormat: String, ExpressibleByArgument, CaseIterable {
    /// Paragraphs for a reader at a terminal.
    case text
    /// One JSON object.
    case json
    /// Workflow commands of GitHub Actions, which annotate the lines of a pull request.
    case github
    /// SARIF 2.1.0, for code scanning.
    case sarif
    /// JUnit's XML, which most CI systems show as test results.
    case junit
}
