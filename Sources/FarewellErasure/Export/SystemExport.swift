// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL

/// Copies the subject's data in one third-party system into an export, if its connector can read.
struct SystemExport: Sendable {
    let context: ErasureContext
    let system: SystemPlan
    let subject: SealedSubject

    enum Result {
        case copied(SystemSink.Written)
        case omitted(reason: String)
    }

    /// - Parameter name: The name of the system in the export.
    /// - Throws: the faults of a system that cannot be read now; errors of the disk.
    func copy(to export: ExportFolder, name: String) async throws -> Result {
        guard system.export.isIncluded else { return .omitted(reason: "The plan leaves this system out of exports.") }
        guard let connector = context.connectors[system.name] else {
            return .omitted(reason: "The secrets of this system (\(system.kind)) are not available here.")
        }
        guard let connector = connector as? any ReadingConnector else {
            return .omitted(reason: "Farewell cannot read data of this system (\(system.kind)).")
        }
        let names = try await names()
        var sink = SystemSink(export, name, of: system.name)
        do {
            if !names.isEmpty {
                var request = ConnectorRequest(key: "export", names: names)
                if let owned = system.owned {
                    request.items = try await OwnedItemReading(database: context.database, owned: owned)
                        .names(of: subject.key.text)
                }
                let records = PlaceRecords(context: context, system: system)
                // Behind a whole item the fault is another's, and a second try would find the first one's files.
                let record = { () async throws -> PlaceRecord in
                    guard try sink.abandon() else { return .nothing }
                    sink = SystemSink(export, name, of: system.name)
                    return (try? await records.record(of: subject, in: nil)) ?? .nothing
                }
                try await request.proving(record) { try await connector.read($0, into: sink) }
            }
        } catch let fault as ConnectorFault {
            guard fault.error.code == "connector.credentials", try sink.abandon() else {
                throw FarewellError(
                    "export.system", fault.error.family,
                    "The system \(Shown.line(system.name, limit: 80)) cannot be exported: \(fault.error.message)",
                    remedy: fault.error.remedyBeforehand)
            }
            return .omitted(reason: "Farewell has no credentials that may read it.")
        }
        return .copied(try sink.finish(system.name))
    }

    /// The system's names for the subject, as an erasure uses them: without those that another subject has too.
    private func names() async throws -> [String] {
        let naming = SystemNames(keys: context.keys, dialect: context.prepared.schema.dialect)
        return try await SharedNames.own(try naming.names(in: system, of: subject), in: system, of: subject, context)
    }
}
