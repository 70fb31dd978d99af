// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The authors of rows that two users may share: a message, a report, a comment on another user's post.
enum RowAuthors {
    /// The links that name a row's author; empty if an erased row is never another user's.
    ///
    /// - Parameters:
    ///   - links: All links of the table.
    ///   - isOfUsers: Whether a link leads to a user, and not to something that belongs to one.
    static func links(among links: [Link], isOfUsers: (Link) -> Bool) -> [Link] {
        let owning = links.filter { !$0.isReference && !$0.isOwnedParent }
        guard owning.count > 1 else { return [] }
        let authors = authors(among: owning.filter(isOfUsers))
        // A row that another user holds by a link with `shared: unlink` is not found.
        let isShared = owning.contains { other in
            other.shared != .unlink && !authors.contains(other)
                && authors.contains { !SubjectPaths.areAlternatives($0, other) }
        }
        return isShared ? authors : []
    }

    /// The links whose names say that they lead to an author; if none does, the links whose names do not say the
    /// contrary, or all.
    private static func authors(among links: [Link]) -> [Link] {
        for side in [PersonSide.author, nil] {
            let found = links.filter { PersonSide.of($0) == side }
            if !found.isEmpty { return found }
        }
        return links
    }
}

extension RowGraph {
    /// The links by which the author of an erased row is known; empty if the row is never another user's. A row of the
    /// subject's own table is that user's, whatever other users it names.
    func authors(of node: Node) -> [Edge] {
        guard node.index != root, node.rule.erasesRows, node.links.count > 1 else { return [] }
        let stated = node.links.map(\.stated).reduce(into: [Link]()) { if !$0.contains($1) { $0.append($1) } }
        let authors = RowAuthors.links(among: stated) { link in
            node.links.contains { $0.stated == link && isOfUsers($0) }
        }
        return node.links.filter { authors.contains($0.stated) }
    }

    /// Whether a link leads to a user, and not to something that belongs to one.
    func isOfUsers(_ edge: Edge) -> Bool { edge.isDirect || isOfUsers(edge.parent) }

    /// Whether each row of a node is a user: of the subject's table, of one that inherits from it, or of one with one
    /// row for each user.
    func isOfUsers(_ node: Int) -> Bool {
        var (place, seen): (Int, Set<Int>) = (node, [])
        while place != root, !descendants[root].contains(place) {
            let owning = nodes[place].links.filter { SubjectPaths.erases($0.link) }
            guard seen.insert(place).inserted, let edge = owning.first, owning.allSatisfy({ $0.stated == edge.stated }),
                SubjectPaths.isPlain(edge.link), nodes[place].table.isUnique(edge.link.columns)
            else { return false }
            place = edge.parent
        }
        return true
    }

    /// The columns of a link that name the row it leads to; of a composite link not those of a tenant.
    func namingColumns(of edge: Edge) -> [String] {
        let columns = edge.link.columns
        return columns.count == 1 ? columns : referenceTarget(edge.parent).own(edge.link, among: columns)
    }
}
