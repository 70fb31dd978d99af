-- SPDX-License-Identifier: Apache-2.0
-- An app on the project, run by postgres, in the manner of the vendor's starters: profiles lead to auth.users, a trigger
-- there makes them, files lie in buckets with policies, and a webhook tells another service of each new post.
CREATE TABLE public.profiles (
  id uuid PRIMARY KEY REFERENCES auth.users ON DELETE CASCADE, username text UNIQUE, full_name text, avatar_url text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE public.posts (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  body text NOT NULL, created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON public.posts (user_id);
-- An older table: its reference prevents the deletion of a user.
CREATE TABLE public.comments (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  post_id bigint NOT NULL REFERENCES public.posts ON DELETE CASCADE, author_id uuid NOT NULL REFERENCES auth.users,
  body text NOT NULL
);
CREATE INDEX ON public.comments (post_id);
CREATE INDEX ON public.comments (author_id);
-- And one that no key leads from.
CREATE TABLE public.push_tokens (
  token text PRIMARY KEY, user_id uuid NOT NULL, platform text NOT NULL, created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON public.push_tokens (user_id);

ALTER TABLE public.profiles ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.posts ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.comments ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.push_tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY "Profiles are seen by everyone" ON public.profiles FOR SELECT USING (true);
CREATE POLICY "Users change their own profile" ON public.profiles FOR UPDATE USING ((SELECT auth.uid()) = id);
CREATE POLICY "Posts are seen by everyone" ON public.posts FOR SELECT USING (true);
CREATE POLICY "Users write their own posts" ON public.posts FOR INSERT WITH CHECK ((SELECT auth.uid()) = user_id);
CREATE POLICY "Users delete their own posts" ON public.posts FOR DELETE USING ((SELECT auth.uid()) = user_id);
CREATE POLICY "Devices of one's own" ON public.push_tokens USING ((SELECT auth.uid()) = user_id);

CREATE FUNCTION public.handle_new_user() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  INSERT INTO public.profiles (id, full_name, avatar_url)
  VALUES (NEW.id, NEW.raw_user_meta_data ->> 'full_name', NEW.raw_user_meta_data ->> 'avatar_url');
  RETURN NEW;
END $$;
CREATE TRIGGER on_auth_user_created AFTER INSERT ON auth.users
  FOR EACH ROW EXECUTE FUNCTION public.handle_new_user();
CREATE TRIGGER tell_of_posts AFTER INSERT ON public.posts
  FOR EACH ROW EXECUTE FUNCTION supabase_functions.http_request('http://127.0.0.1:9/posts', 'POST', '{}', '{}', '1000');
ALTER PUBLICATION supabase_realtime ADD TABLE public.posts, public.comments;

INSERT INTO storage.buckets (id, name, public) VALUES ('avatars', 'avatars', true), ('documents', 'documents', false);
