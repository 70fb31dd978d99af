// SPDX-License-Identifier: Apache-2.0

/// A part of a screen.
@MainActor
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

/// Changes a view.
@MainActor
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = ModifierContent
    @ViewBuilder func body(content: Content) -> Body
}

/// The view that a modifier changes.
public struct ModifierContent: RecordedView {
    public let node: ViewNode
}

/// Nothing.
public struct EmptyView: View {
    public typealias Body = EmptyView
    public var body: EmptyView { self }

    public init() {}
}

/// Several views, one after the other.
public struct TupleView: RecordedView {
    let parts: [any View]

    public var node: ViewNode { ViewNode("Group", parts: parts) }
}

/// Builds views from statements.
@resultBuilder
@MainActor
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView {
        var parts: [any View] = []
        repeat parts.append(each content)
        return TupleView(parts: parts)
    }
    public static func buildIf(_ content: (any View)?) -> TupleView {
        TupleView(parts: content.map { [$0] } ?? [])
    }
    public static func buildEither<Content: View>(first: Content) -> TupleView { TupleView(parts: [first]) }
    public static func buildEither<Content: View>(second: Content) -> TupleView { TupleView(parts: [second]) }
}
