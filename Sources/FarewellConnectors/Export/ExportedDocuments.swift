// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Writes a system's documents into one item of an export, as the elements of an array of JSON, one at a time.
struct ExportedDocuments {
    private let system: String
    private let sink: any ConnectorSink
    private let withheld: WithheldValues
    private(set) var count = 0

    init(_ name: String, of system: String, into sink: any ConnectorSink, without withheld: WithheldValues) throws {
        self.system = system
        self.sink = sink
        self.withheld = withheld
        try sink.begin(name)
    }

    mutating func add(_ document: RawJSON) throws {
        let bytes = try withheld.copy(of: document, from: system, into: sink)
        try sink.add(Array((count == 0 ? "[\n" : ",\n").utf8) + bytes)
        count += 1
    }

    func end() throws {
        try sink.add(Array((count == 0 ? "[]\n" : "\n]\n").utf8))
        try sink.end()
    }
}

extension ConnectorSink {
    /// Takes one document as an item of its own.
    func add(_ document: RawJSON, named name: String, of system: String, without withheld: WithheldValues) throws {
        try begin(name)
        try add(try withheld.copy(of: document, from: system, into: self) + [UInt8(ascii: "\n")])
        try end()
    }
}

extension WithheldValues {
    /// The document without them; each is counted by the sink.
    func copy(of document: RawJSON, from system: String, into sink: any ConnectorSink) throws -> [UInt8] {
        var names: [String] = []
        let copy: [UInt8]
        do {
            copy = try document.leavingOut { name, value, parent in
                let isOut = isOut(name, value, in: parent)
                if isOut { names.append(name) }
                return isOut
            }
        } catch {
            throw ConnectorFault.garbled(system, "its JSON cannot be read")
        }
        for name in names { try sink.leaveOut(.value(named: name)) }
        return copy
    }
}
