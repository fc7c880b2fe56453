/**
 * AlterConfigs 0–2: replaces all settings of resources (KIP-133). This broker checks its own
 * settings, the active controller all others (`controller/configs.ts`).
 */
import { AlterConfigs } from '../../protocol/apis/alter-configs';
import { changeConfigs, type ResourceAnswer } from '../config-changes';
import { serve } from '../handler';

export const alterConfigs = serve({
  api: AlterConfigs,
  async handle(request, context, services) {
    if (context.connection.serves === 'controller') {
      return services.controller.decide(AlterConfigs, request, context);
    }
    const responses = await changeConfigs(request.resources, services, async (resources) => {
      const asked = { ...request, resources };
      const { responses } = await services.controller.ask(AlterConfigs, asked, context);
      return responses as readonly ResourceAnswer[];
    });
    return { responses };
  },
});
