/** Property tests try the same values at every run; `FC_SEED=N npx jest …` tries others. */
import { configureGlobal } from 'fast-check';

configureGlobal({ seed: Number(process.env.FC_SEED ?? 4400) });
