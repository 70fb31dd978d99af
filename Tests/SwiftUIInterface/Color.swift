// SPDX-License-Identifier: Apache-2.0

/// A colour, which is a view as well.
public struct Color: RecordedView, ShapeStyle {
    public let name: String

    nonisolated init(_ name: String) { self.name = name }

    public nonisolated static let red = Color("red")
    public nonisolated static let black = Color("black")

    public nonisolated func opacity(_ opacity: Double) -> Color { Color("\(name) \(opacity)") }
    public var node: ViewNode { ViewNode("Color") }
}

/// The paint of a shape.
public protocol ShapeStyle: Sendable {
    var name: String { get }
}

/// The order of emphasis.
public struct HierarchicalShapeStyle: ShapeStyle {
    public let name: String
}

/// Ground that lets through what is behind it.
public struct Material: ShapeStyle {
    public let name: String
}

extension ShapeStyle where Self == Color {
    public static var red: Color { Color.red }
    public static var clear: Color { Color("clear") }
}
extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle(name: "secondary") }
}
extension ShapeStyle where Self == Material {
    public static var regularMaterial: Material { Material(name: "regularMaterial") }
}

public struct RoundedRectangle: Shape {
    public init(cornerRadius: Double) {}
}

public protocol Shape: Sendable {}

/// A style of text, which grows with what the person has set (Dynamic Type). Fixed sizes are left out on purpose.
public struct Font: Sendable {
    let name: String

    public static let headline = Font(name: "headline")
    public static let body = Font(name: "body")
    public static let footnote = Font(name: "footnote")
    public static let title2 = Font(name: "title2")
}

public struct LayoutDirection: Sendable, Equatable {
    let name: String

    public static let leftToRight = LayoutDirection(name: "leftToRight")
    public static let rightToLeft = LayoutDirection(name: "rightToLeft")
}

public struct EnvironmentValues {
    public var layoutDirection = LayoutDirection.leftToRight
}

public enum Visibility: Sendable { case automatic, visible, hidden }

/// Haptic feedback.
public struct SensoryFeedback: Sendable, Equatable {
    public enum Weight: String, Sendable { case light, medium, heavy }

    let name: String

    public static func impact(weight: Weight = .medium, intensity: Double = 1) -> SensoryFeedback {
        SensoryFeedback(name: "impact \(weight.rawValue)")
    }
}
