import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.internals.Exit;

/**
 * Runs Kafka's command line tools one after another in one virtual machine, since starting one for
 * each takes longer than what it does. Requests come in on standard input, answers go out on
 * standard output; numbers are 4 bytes, texts have their length in bytes before them.
 *
 * <p>Request: class name, number of arguments, arguments, standard input.
 * Answer: exit code, standard output, standard error.
 */
public final class ToolRunner {
    private static final class ExitError extends Error {
    }

    /** The first code that the running tool ended with: some catch what their own exit throws. */
    private static Integer exitCode;

    private ToolRunner() {
    }

    private static void exit(int code) {
        if (exitCode == null) {
            exitCode = code;
        }
        throw new ExitError();
    }

    public static void main(String[] none) throws IOException {
        DataInputStream requests = new DataInputStream(System.in);
        DataOutputStream answers = new DataOutputStream(System.out);
        List<Runnable> hooks = new ArrayList<>();
        Exit.setExitProcedure((code, message) -> exit(code));
        Exit.setHaltProcedure((code, message) -> exit(code));
        Exit.setShutdownHookAdder((name, hook) -> hooks.add(hook));
        while (true) {
            String className;
            try {
                className = new String(readBytes(requests), "UTF-8");
            } catch (EOFException over) {
                return;
            }
            String[] args = new String[requests.readInt()];
            for (int i = 0; i < args.length; i++) {
                args[i] = new String(readBytes(requests), "UTF-8");
            }
            InputStream input = new ByteArrayInputStream(readBytes(requests));
            ByteArrayOutputStream output = new ByteArrayOutputStream();
            ByteArrayOutputStream errors = new ByteArrayOutputStream();
            System.setIn(input);
            System.setOut(new PrintStream(output, true, "UTF-8"));
            System.setErr(new PrintStream(errors, true, "UTF-8"));
            exitCode = null;
            int code = run(className, args);
            // What a tool leaves to the end of its process: its producer is flushed there.
            for (Runnable hook : hooks) {
                hook.run();
            }
            hooks.clear();
            System.out.flush();
            System.err.flush();
            answers.writeInt(code);
            writeBytes(answers, output.toByteArray());
            writeBytes(answers, errors.toByteArray());
            answers.flush();
        }
    }

    private static int run(String className, String[] args) {
        try {
            Class.forName(className).getMethod("main", String[].class).invoke(null, (Object) args);
            return exitCode == null ? 0 : exitCode;
        } catch (InvocationTargetException failure) {
            if (exitCode != null) {
                return exitCode;
            }
            failure.getCause().printStackTrace();
            return 1;
        } catch (ReflectiveOperationException failure) {
            failure.printStackTrace();
            return 1;
        }
    }

    private static byte[] readBytes(DataInputStream from) throws IOException {
        byte[] bytes = new byte[from.readInt()];
        from.readFully(bytes);
        return bytes;
    }

    /** A copy: clients that a tool left open go on printing. */
    private static void writeBytes(DataOutputStream to, byte[] bytes) throws IOException {
        to.writeInt(bytes.length);
        to.write(bytes);
    }
}
