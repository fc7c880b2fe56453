/**
 * IncrementalAlterConfigs 0–1: sets, deletes, appends to and subtracts from settings (KIP-339).
 * This broker checks its own settings, the active controller all others (`controller/configs.ts`).
 */
import { IncrementalAlterConfigs } from '../../protocol/apis/incremental-alter-configs';
import { changeConfigs, type ResourceAnswer } from '../config-changes';
import { serve } from '../handler';

export const incrementalAlterConfigs = serve({
  api: IncrementalAlterConfigs,
  async handle(request, context, services) {
    if (context.connection.serves === 'controller') {
      return services.controller.decide(IncrementalAlterConfigs, request, context);
    }
    const responses = await changeConfigs(request.resources, services, async (resources) => {
      const asked = { ...request, resources };
      const { responses } = await services.controller.ask(IncrementalAlterConfigs, asked, context);
      return responses as readonly ResourceAnswer[];
    });
    return { responses };
  },
});
