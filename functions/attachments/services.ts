import { attachmentRepository } from '../../lib/bugs/attachments/repository.ts';
import { attachmentChanges } from '../../lib/bugs/change/change-attachments.ts';
import { commentRepository } from '../../lib/bugs/comments/repository.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { bugSettingsRepository } from '../../lib/bugs/store/settings-repository.ts';
import { idempotent } from '../../lib/http/idempotency.ts';
import { openServices } from '../../lib/http/services.ts';
import { productRepository, rememberProducts } from '../../lib/products/repository.ts';

/** The services of the attachment endpoints. */
export function attachmentServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  const { now, settings } = services;
  const common = {
    ...services,
    attachments: attachmentRepository(table, now),
    bugs: bugRepository(table, now),
    comments: commentRepository(table),
    products: rememberProducts(productRepository(table, now)),
    bugSettings: bugSettingsRepository(table),
  };
  const changes = attachmentChanges(common, settings.MAX_ATTACHMENT_BYTES);
  return { ...common, changes, idempotent: idempotent(table, now) };
}
export type AttachmentServices = ReturnType<typeof attachmentServices>;
