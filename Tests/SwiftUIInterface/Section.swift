// SPDX-License-Identifier: Apache-2.0

/// A group with a heading.
public struct Section<Content: View>: RecordedView {
    public let node: ViewNode

    public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {
        var node = ViewNode("Section", parts: [content()])
        node.words = String(title)
        self.node = node
    }
    public init(@ViewBuilder content: () -> Content) { node = ViewNode("Section", parts: [content()]) }
}

/// Views in a row, in a column, upon one another, in a list, in a form.
public struct HStack<Content: View>: RecordedView {
    public let node: ViewNode

    public init(spacing: Double? = nil, @ViewBuilder content: () -> Content) {
        node = ViewNode("HStack", parts: [content()])
    }
}

public struct VStack<Content: View>: RecordedView {
    public let node: ViewNode

    public init(alignment: HorizontalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content) {
        node = ViewNode("VStack", parts: [content()])
    }
}

public struct ZStack<Content: View>: RecordedView {
    public let node: ViewNode

    public init(@ViewBuilder content: () -> Content) { node = ViewNode("ZStack", parts: [content()]) }
}

public struct List<Content: View>: RecordedView {
    public let node: ViewNode

    public init(@ViewBuilder content: () -> Content) { node = ViewNode("List", parts: [content()]) }
}

public struct Form<Content: View>: RecordedView {
    public let node: ViewNode

    public init(@ViewBuilder content: () -> Content) { node = ViewNode("Form", parts: [content()]) }
}

public struct NavigationStack<Content: View>: RecordedView {
    public let node: ViewNode

    public init(@ViewBuilder root: () -> Content) { node = ViewNode("NavigationStack", parts: [root()]) }
}

/// One view for each value.
public struct ForEach<Data: RandomAccessCollection, Content: View>: RecordedView where Data.Element: Identifiable {
    public let node: ViewNode

    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        node = ViewNode("ForEach", parts: data.map { content($0) })
    }
}

/// As much room as there is.
public struct Spacer: RecordedView {
    public var node: ViewNode { ViewNode("Spacer") }

    public init() {}
}

public enum HorizontalAlignment: Sendable { case leading, center, trailing }
