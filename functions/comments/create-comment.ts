import { checkComment } from '../../lib/comments/authorize.ts';
import type { Endpoint } from '../../lib/http/handler.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import type { CommentServices } from '../../lib/services.ts';
import { requireUser } from '../../lib/users/caller.ts';
import { newComment, workTime } from './schemas.ts';

/** Adds a comment to the bug of the path, and answers its id. SPEC.md 4.6. Throws what checkComment does. */
export const createComment: Endpoint<CommentServices> = async (request, services) => {
  const inPath = request.pathParameter('id_or_alias');
  const { bug, comment } = await checkComment(services, inPath, request.caller, () => {
    const given = parseParameters(newComment, request.parameters);
    return {
      text: given.comment ?? '',
      isPrivate: given.is_private ?? given.private ?? false,
      workTime: () => parseParameters(workTime, request.parameters).work_time ?? '',
    };
  });
  const user = requireUser(await request.caller);
  return services.once(request, user, async (idempotencyActions) => {
    await services.comments.add(bug, comment, idempotencyActions(comment.id));
    return comment.id;
  });
};
