-- A board of cards in the style of Prisma: names in camel case, text keys, createdBy and updatedBy beside each other.
-- subject: User.id
-- databases: postgresql, sqlite
CREATE TABLE "User" (
  id text PRIMARY KEY,
  email text NOT NULL UNIQUE,
  name text,
  "emailVerified" timestamptz,
  image text
);
CREATE TABLE "Account" (
  id text PRIMARY KEY,
  "userId" text NOT NULL REFERENCES "User" (id) ON DELETE CASCADE, -- owner: User.id
  provider text NOT NULL,
  "providerAccountId" text NOT NULL,
  UNIQUE (provider, "providerAccountId")
);
CREATE TABLE "Session" (
  id text PRIMARY KEY,
  "sessionToken" text NOT NULL UNIQUE,
  "userId" text NOT NULL REFERENCES "User" (id) ON DELETE CASCADE, -- owner: User.id
  expires timestamptz
);
CREATE TABLE "Organization" (
  id text PRIMARY KEY,
  name text NOT NULL,
  "memberLimit" integer,
  "ownedById" text REFERENCES "User" (id) ON DELETE SET NULL -- names: User.id
);
CREATE TABLE "Membership" (
  "organizationId" text NOT NULL REFERENCES "Organization" (id) ON DELETE CASCADE, -- about: Organization.id
  "userId" text NOT NULL REFERENCES "User" (id) ON DELETE CASCADE, -- owner: User.id
  role text,
  "invitedById" text REFERENCES "User" (id) ON DELETE SET NULL, -- names: User.id
  PRIMARY KEY ("organizationId", "userId")
);
CREATE TABLE "Board" (
  id text PRIMARY KEY,
  "organizationId" text NOT NULL REFERENCES "Organization" (id) ON DELETE CASCADE, -- about: Organization.id
  title text,
  "createdById" text REFERENCES "User" (id) ON DELETE SET NULL, -- names: User.id
  "updatedById" text REFERENCES "User" (id) ON DELETE SET NULL -- names: User.id
);
CREATE TABLE "Card" (
  id text PRIMARY KEY,
  "boardId" text NOT NULL REFERENCES "Board" (id) ON DELETE CASCADE, -- about: Board.id
  "authorId" text NOT NULL REFERENCES "User" (id) ON DELETE CASCADE, -- owner: User.id
  "assigneeId" text REFERENCES "User" (id) ON DELETE SET NULL, -- names: User.id
  title text,
  "sortOrder" integer
);
CREATE TABLE "Comment" (
  id text PRIMARY KEY,
  "cardId" text NOT NULL REFERENCES "Card" (id) ON DELETE CASCADE, -- part of: Card.id
  "authorId" text NOT NULL REFERENCES "User" (id) ON DELETE CASCADE, -- owner: User.id
  body text
);
CREATE TABLE "Reaction" (
  "commentId" text NOT NULL REFERENCES "Comment" (id) ON DELETE CASCADE, -- part of: Comment.id
  "userId" text NOT NULL REFERENCES "User" (id) ON DELETE CASCADE, -- owner: User.id
  emoji text NOT NULL,
  PRIMARY KEY ("commentId", "userId", emoji)
);
CREATE TABLE "Attachment" (
  id text PRIMARY KEY,
  "cardId" text NOT NULL REFERENCES "Card" (id) ON DELETE CASCADE, -- part of: Card.id
  "uploaderId" text NOT NULL, -- owner: User.id
  url text,
  bytes integer
);
CREATE TABLE "Label" (
  id text PRIMARY KEY,
  "boardId" text NOT NULL REFERENCES "Board" (id) ON DELETE CASCADE, -- about: Board.id
  name text,
  color text
);
CREATE TABLE "_CardToLabel" (
  "A" text NOT NULL REFERENCES "Card" (id) ON DELETE CASCADE, -- part of: Card.id
  "B" text NOT NULL REFERENCES "Label" (id) ON DELETE CASCADE, -- about: Label.id
  UNIQUE ("A", "B")
);
CREATE TABLE "Invitation" (
  id text PRIMARY KEY,
  "organizationId" text NOT NULL REFERENCES "Organization" (id) ON DELETE CASCADE, -- about: Organization.id
  "inviterId" text REFERENCES "User" (id) ON DELETE SET NULL, -- names: User.id
  token text NOT NULL UNIQUE
);
CREATE TABLE "ApiKey" (
  id text PRIMARY KEY,
  "createdByUserId" text NOT NULL, -- owner: User.id
  "hashedKey" text NOT NULL UNIQUE,
  "lastUsedAt" timestamptz
);
CREATE TABLE "AuditLog" (
  id text PRIMARY KEY,
  "actorId" text, -- names: User.id
  action text,
  "entityType" text,
  "entityId" text, -- about: Board.id when entityType = 'BOARD' | names: User.id when entityType = 'USER'
  "createdAt" timestamptz
);
CREATE TABLE "Plan" (
  id text PRIMARY KEY,
  "maxUsers" integer,
  "perUserCents" integer,
  "userSupport" text
);
