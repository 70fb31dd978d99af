// SPDX-License-Identifier: Apache-2.0

/// A view for a test: its kind, its words, its messages to assistive technology, and its children.
public struct ViewNode {
    /// `Button`, `Text`, …
    public let kind: String
    /// Its words, or the name of its picture.
    public var words: String?
    /// The values of modifiers: `identifier`, `label`, `hint`, `font`, `colour`, …
    public var marks: [String: String] = [:]
    public var children: [ViewNode] = []
    /// The action of a tap.
    public var press: (@MainActor () -> Void)?
    /// The action of a user's input.
    public var write: (@MainActor (String) -> Void)?
    /// The actions when it appears, and when it is pulled down.
    public var appears: [@Sendable () async -> Void] = []
    public var refreshes: (@Sendable () async -> Void)?
    /// The actions when an observed value has changed.
    public var changes: [@MainActor () -> Void] = []
    /// The haptic feedback, each time the value behind it changes.
    public var felt: [String] = []
    /// The modifiers that made it, looked at again with what they remember.
    public var agains: [@MainActor () -> ViewNode] = []
    /// Puts a dialog away, as platforms do.
    public var putAway: (@MainActor () -> Void)?

    init(_ kind: String, words: String? = nil, children: [ViewNode] = []) {
        self.kind = kind
        self.words = words
        self.children = children
    }

    @MainActor
    init(_ kind: String, parts: [any View]) {
        self.init(kind, children: parts.map(ViewNode.of))
    }

    /// The tree of a view as it is now.
    @MainActor
    public static func of(_ view: any View) -> ViewNode {
        if let recorded = view as? any RecordedView { return recorded.node }
        return view is EmptyView ? ViewNode("Nothing") : of(view.body)
    }

    /// This node and all below it.
    public var all: [ViewNode] { [self] + children.flatMap(\.all) }

    /// The first node of this accessibility identifier, or else of this kind.
    public func find(_ name: String) -> ViewNode? {
        all.first { $0.marks["identifier"] == name } ?? all.first { $0.kind == name }
    }

    /// The first node of a kind, with these words on it or in it.
    public func find(_ kind: String, _ words: String) -> ViewNode? {
        all.first { $0.kind == kind && $0.text.contains(words) }
    }

    /// Every word on it and in it, from the top down.
    public var text: [String] { (kind == "Image" ? [] : words.map { [$0] } ?? []) + children.flatMap(\.text) }
}

/// A view that says itself what it is.
@MainActor
public protocol RecordedView: View {
    var node: ViewNode { get }
}

extension RecordedView {
    public var body: EmptyView { EmptyView() }
}
