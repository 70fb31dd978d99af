// SPDX-License-Identifier: Apache-2.0

/// A connector that can also read a subject's data, for an export (EX-1).
public protocol ReadingConnector: Connector {
    /// Reads what `erase` would delete, by the same selection, and changes nothing.
    ///
    /// It reads in pieces, so that memory does not grow with the data. Something that disappears meanwhile is left out.
    ///
    /// - Parameter sink: Takes each item in turn.
    /// - Throws: `ConnectorFault`; what `sink` throws.
    func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws
}
