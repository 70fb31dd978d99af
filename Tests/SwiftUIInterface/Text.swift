// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Words.
public struct Text: RecordedView {
    public let node: ViewNode

    public init(_ content: some StringProtocol) { node = ViewNode("Text", words: String(content)) }
    public init<Style: FormatStyle>(_ input: Style.FormatInput, format: Style) where Style.FormatOutput == String {
        node = ViewNode("Text", words: format.format(input))
    }
}

/// A picture of the system's.
public struct Image: RecordedView {
    public let node: ViewNode

    public init(systemName: String) { node = ViewNode("Image", words: systemName) }
}

/// An action.
public struct Button<Label: View>: RecordedView {
    public let node: ViewNode

    public init(
        role: ButtonRole? = nil, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
    ) {
        var node = ViewNode("Button", parts: [label()])
        node.marks["role"] = role?.name
        node.press = action
        self.node = node
    }
}

extension Button where Label == Text {
    public init(_ title: some StringProtocol, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {
        self.init(role: role, action: action) { Text(title) }
    }
}

/// The meaning of a press.
public struct ButtonRole: Sendable {
    let name: String

    public static let destructive = ButtonRole(name: "destructive")
    public static let cancel = ButtonRole(name: "cancel")
}

/// A field whose letters are not shown.
public struct SecureField: RecordedView {
    public let node: ViewNode

    public init(_ title: some StringProtocol, text: Binding<String>) {
        var node = ViewNode("SecureField", words: String(title))
        node.write = { text.wrappedValue = $0 }
        self.node = node
    }
}

/// That something is under way, and how far.
public struct ProgressView: RecordedView {
    public let node: ViewNode

    public init() { node = ViewNode("ProgressView") }
    public init(value: Double?) { node = ViewNode("ProgressView", words: value.map { "\(Int($0 * 100))%" }) }
}

/// A way to another screen.
public struct NavigationLink<Label: View, Destination: View>: RecordedView {
    public let node: ViewNode

    public init(@ViewBuilder destination: () -> Destination, @ViewBuilder label: () -> Label) {
        var node = ViewNode("NavigationLink", parts: [label()])
        node.children.append(ViewNode("Destination", parts: [destination()]))
        self.node = node
    }
}

/// Hands files on.
public struct ShareLink<Data: RandomAccessCollection, Label: View>: RecordedView where Data.Element == URL {
    public let node: ViewNode

    public init(items: Data, @ViewBuilder label: () -> Label) {
        var node = ViewNode("ShareLink", parts: [label()])
        node.marks["files"] = items.map(\.pathExtension).joined(separator: " ")
        self.node = node
    }
}
