// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Rows of text in columns, fitted to a width. Numbers are right-aligned.
struct TextTable {
    private let head: [String]
    private let numbers: Set<Int>
    private var rows: [[String]] = []

    /// `numbers` are the columns that hold numbers, counted from 0.
    init(_ head: [String], numbers: Set<Int> = []) {
        self.head = head
        self.numbers = numbers
    }

    var isEmpty: Bool { rows.isEmpty }

    mutating func add(_ cells: [String]) { rows.append(cells.map(Terminal.printable)) }

    /// Lines without colour, indented by two. The last column takes the remaining width and is wrapped.
    func lines(width: Int) -> [String] {
        let all = [head] + rows
        var widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let before = widths.dropLast().reduce(0) { $0 + $1 + 2 } + 2
        let last = head.count - 1
        widths[last] = min(widths[last], max(width - before, 20))
        return all.flatMap { row in
            wrapped(row[last], to: widths[last]).enumerated().map { number, part in
                var line = "  "
                for column in 0..<last {
                    line +=
                        padded(number == 0 ? row[column] : "", to: widths[column], isNumber: numbers.contains(column))
                        + "  "
                }
                line += numbers.contains(last) ? padded(part, to: widths[last], isNumber: true) : part
                while line.last == " " { line.removeLast() }
                return line
            }
        }
    }

    private func padded(_ text: String, to width: Int, isNumber: Bool) -> String {
        let blank = String(repeating: " ", count: max(0, width - text.count))
        return isNumber ? blank + text : text + blank
    }

    private func wrapped(_ text: String, to width: Int) -> [String] { Paragraph.wrapped(text, to: width) }
}

/// Running text broken between words.
enum Paragraph {
    static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [line]
    }

    /// Lines behind a mark, the later ones indented as far as the mark is wide.
    static func marked(_ mark: String, _ text: String, width: Int) -> [String] {
        let blank = String(repeating: " ", count: mark.count)
        return wrapped(text, to: max(width - mark.count, 20)).enumerated().map { ($0 == 0 ? mark : blank) + $1 }
    }
}
